// A section of the page. Its body is made when it comes near the window, and again when what it shows has changed.
import {append, h, type Child} from './dom';

export interface Section {
  element: HTMLElement;
  update(): void;
}

export interface SectionSpec {
  id: string;
  title: string;
  about?: string;
  signature(): string; // of what is shown: the body is made again only when it changes
  body(): Child;
}

// Where the keyboard is, so that making a body again does not lose it.
function remember(body: HTMLElement): () => void {
  const active = document.activeElement;
  if (!(active instanceof HTMLElement) || !body.contains(active) || !active.id) return () => {};
  const selection =
    active instanceof HTMLInputElement && active.type === 'search'
      ? [active.selectionStart, active.selectionEnd]
      : null;
  return () => {
    const again = document.getElementById(active.id);
    again?.focus({preventScroll: true});
    if (selection && again instanceof HTMLInputElement) again.setSelectionRange(selection[0]!, selection[1]!);
  };
}

export function section(spec: SectionSpec): Section {
  const body = h('div', {class: 'section-body'});
  body.style.minHeight = '12rem';
  const element = h(
    'section',
    {id: spec.id, 'aria-labelledby': `${spec.id}-title`},
    h(
      'div',
      {class: 'section-head'},
      h('h2', {id: `${spec.id}-title`}, spec.title),
      spec.about ? h('p', {}, spec.about) : null,
    ),
    body,
  );
  let near = false,
    made: string | null = null;
  const make = () => {
    const now = spec.signature();
    if (now === made) return;
    made = now;
    const restore = remember(body);
    body.style.minHeight = `${body.offsetHeight}px`; // what is below does not jump meanwhile
    body.replaceChildren();
    append(body, [spec.body()]);
    requestAnimationFrame(() => (body.style.minHeight = ''));
    restore();
  };
  new IntersectionObserver(
    entries => {
      near = entries[entries.length - 1]!.isIntersecting;
      if (near) make();
    },
    {rootMargin: '600px'},
  ).observe(element);
  return {element, update: () => (near ? make() : undefined)};
}
