// Marks: the parts of a chart that tell their numbers, to a pointer and to the keyboard alike. A chart is one stop of
// the tab key; arrow keys go from mark to mark.
import {h} from '../dom';

// Gives an element its numbers. The first line is a heading. `row` and `column` say where arrow keys find it.
export function mark<E extends SVGElement>(e: E, lines: string[], row: number, column: number): E {
  e.setAttribute('class', `mark ${e.getAttribute('class') ?? ''}`.trim());
  e.setAttribute('data-tip', lines.join('\n'));
  e.setAttribute('data-row', String(row));
  e.setAttribute('data-column', String(column));
  e.setAttribute('tabindex', '-1');
  e.setAttribute('role', 'img');
  e.setAttribute('aria-label', lines.join('. '));
  return e;
}

export function marksOf(root: Element): SVGElement[] {
  return [...root.querySelectorAll<SVGElement>('.mark')];
}

const at = (e: Element, name: string) => Number(e.getAttribute(`data-${name}`));

// The mark that an arrow key leads to: the nearest one in that direction.
function next(marks: SVGElement[], from: SVGElement, key: string): SVGElement | null {
  const row = at(from, 'row'),
    column = at(from, 'column');
  if (key === 'Home') return marks[0] ?? null;
  if (key === 'End') return marks[marks.length - 1] ?? null;
  let best: SVGElement | null = null,
    least = Infinity;
  for (const m of marks) {
    const dr = at(m, 'row') - row,
      dc = at(m, 'column') - column;
    const ahead =
      key === 'ArrowRight'
        ? dr === 0
          ? dc
          : 0
        : key === 'ArrowLeft'
          ? dr === 0
            ? -dc
            : 0
          : key === 'ArrowDown'
            ? dr
            : -dr;
    if (ahead <= 0) continue;
    const distance = key === 'ArrowRight' || key === 'ArrowLeft' ? ahead : ahead * 1e4 + Math.abs(dc);
    if (distance < least) [best, least] = [m, distance];
  }
  return best;
}

let box: HTMLElement | null = null;

function tipBox(): HTMLElement {
  box ??= document.body.appendChild(h('div', {class: 'tip', role: 'tooltip', id: 'tip', hidden: true}));
  return box;
}

export function hideTip(): void {
  if (box) box.hidden = true;
}

// Near (x, y) of the window, where it fits.
export function showTip(lines: string[], x: number, y: number): void {
  const t = tipBox();
  t.replaceChildren(...lines.map((line, i) => h(i === 0 ? 'strong' : 'span', {}, line)));
  t.hidden = false;
  const width = t.offsetWidth,
    height = t.offsetHeight;
  const left = Math.max(8, Math.min(x + 14, document.documentElement.clientWidth - width - 8));
  const below = y + 18 + height <= window.innerHeight;
  t.style.transform = `translate(${left}px, ${below ? y + 18 : Math.max(8, y - height - 12)}px)`;
}

function showFor(m: Element, x?: number, y?: number): void {
  const r = m.getBoundingClientRect();
  showTip(
    (m.getAttribute('data-tip') ?? '').split('\n'),
    x ?? r.left + Math.min(r.width / 2, 60),
    y ?? r.top + r.height / 2,
  );
}

// What the keyboard is on keeps its numbers when the pointer goes away or the page scrolls.
export function settle(): void {
  const m = document.activeElement;
  if (m?.classList.contains('mark') && m.matches(':focus-visible')) showFor(m);
  else hideTip();
}
let scrolls = false;

// Once for the holder of a chart; the marks inside may be replaced later.
export function watchMarks(holder: HTMLElement): void {
  const of = (e: Event) => (e.target instanceof Element ? e.target.closest<SVGElement>('.mark') : null);
  holder.addEventListener('pointermove', e => {
    const m = of(e);
    if (m) showFor(m, e.clientX, e.clientY);
    else settle();
  });
  holder.addEventListener('pointerleave', settle);
  if (!scrolls) addEventListener('scroll', settle, {passive: true});
  scrolls = true;
  holder.addEventListener('focusin', e => {
    const m = of(e);
    if (!m) return;
    for (const other of marksOf(holder)) other.setAttribute('tabindex', other === m ? '0' : '-1');
    if (m.matches(':focus-visible')) showFor(m);
  });
  holder.addEventListener('focusout', hideTip);
  holder.addEventListener('keydown', e => {
    const m = of(e);
    if (!m) return;
    if (e.key === 'Escape') return hideTip();
    if (!/^(Arrow|Home|End)/.test(e.key)) return;
    e.preventDefault();
    next(marksOf(holder), m, e.key)?.focus();
  });
}

// After drawing: one mark is the chart's tab stop. `focused`: the number of the mark that had the focus before.
export function enterMarks(holder: HTMLElement, focused: number): void {
  const marks = marksOf(holder);
  marks[Math.max(0, Math.min(focused, marks.length - 1))]?.setAttribute('tabindex', '0');
  if (focused >= 0) marks[Math.min(focused, marks.length - 1)]?.focus({preventScroll: true});
}
