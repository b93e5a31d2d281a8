// A chart on the page: title, drawing, buttons that save it. Drawn when it comes near the window, and again when its
// width or the theme changes.
import {csv, type Row} from '../csv';
import {h, type Child} from '../dom';
import {current, light, type Paint} from '../theme';
import {enterMarks, marksOf, settle, watchMarks} from './marks';
import {download, standalone} from './save';

export interface ChartSpec {
  name: string; // of saved files
  title: string;
  note?: string;
  draw(paint: Paint, width: number): SVGSVGElement;
  onPage?(paint: Paint, width: number): SVGSVGElement; // where the page shows pixels and a file has shapes
  rows(): Row[]; // as a table; the first row has the names
  height(width: number): number; // about; kept free until it is drawn
  savedWidth?: number;
}

export const savedWidth = 760;

export function saved(spec: ChartSpec): string {
  return standalone(spec.draw(light, spec.savedWidth ?? savedWidth));
}

export interface Chart {
  element: HTMLElement;
  holder: HTMLElement;
  redraw(): void;
}

const drawn = new WeakMap<Element, () => void>(); // by holder: draws it
const near = new WeakSet<Element>();
let observer: IntersectionObserver | null = null;
let resizes: ResizeObserver | null = null;
const holders = new Set<WeakRef<HTMLElement>>();

function observe(holder: HTMLElement): void {
  observer ??= new IntersectionObserver(
    entries => {
      for (const e of entries) {
        if (!e.isIntersecting) near.delete(e.target);
        else {
          near.add(e.target);
          drawn.get(e.target)?.();
        }
      }
    },
    {rootMargin: '300px'},
  );
  resizes ??= new ResizeObserver(entries => {
    for (const e of entries) if (near.has(e.target)) drawn.get(e.target)?.();
  });
  observer.observe(holder);
  resizes.observe(holder);
  holders.add(new WeakRef(holder));
}

// All charts of the page again: those near the window at once, the others when they come near. Before printing: all.
export function redrawAll(all = false): void {
  for (const ref of holders) {
    const holder = ref.deref();
    if (!holder || !holder.isConnected) holders.delete(ref);
    else if (all || near.has(holder)) drawn.get(holder)?.();
  }
}

let printing = false;
export function setPrinting(on: boolean): void {
  printing = on;
  redrawAll(true);
}

export function chart(
  spec: ChartSpec,
  options: {controls?: Child; after?: Child; interact?: (holder: HTMLElement) => void} = {},
): Chart {
  const holder = h('div', {class: 'drawing'});
  holder.style.minHeight = `${spec.height(640)}px`;
  let state = ''; // what the present drawing was drawn for
  const draw = (force = false) => {
    const width = Math.floor(holder.clientWidth);
    if (width < 50) return;
    const paint = printing ? light : current();
    const now = `${width} ${paint.name}`;
    if (!force && now === state) return;
    state = now;
    const focused = document.activeElement instanceof SVGElement ? marksOf(holder).indexOf(document.activeElement) : -1;
    const svg = (spec.onPage && !printing ? spec.onPage : spec.draw)(paint, width);
    svg.setAttribute('role', 'group');
    svg.setAttribute('aria-label', `${spec.title}. Chart; arrow keys go from mark to mark.`);
    holder.replaceChildren(svg);
    holder.style.minHeight = '';
    if (focused < 0) settle();
    enterMarks(holder, focused);
  };
  watchMarks(holder);
  drawn.set(holder, draw);
  observe(holder);
  options.interact?.(holder);
  const element = h(
    'figure',
    {class: 'chart', 'data-chart': spec.name},
    h(
      'figcaption',
      {},
      h('div', {class: 'chart-title'}, h('h3', {}, spec.title), spec.note ? h('p', {}, spec.note) : null),
      saveButtons(spec),
    ),
    options.controls ? h('div', {class: 'chart-controls'}, options.controls) : null,
    holder,
    options.after ?? null,
  );
  return {element, holder, redraw: () => (near.has(holder) ? draw(true) : void (state = ''))};
}

function saveButtons(spec: ChartSpec): HTMLElement {
  return h(
    'div',
    {class: 'save'},
    h(
      'button',
      {
        type: 'button',
        'aria-label': `Save "${spec.title}" as SVG`,
        'data-save': 'svg',
        onclick: () => download(`${spec.name}.svg`, 'image/svg+xml', saved(spec)),
      },
      'SVG',
    ),
    h(
      'button',
      {
        type: 'button',
        'aria-label': `Save the numbers of "${spec.title}" as CSV`,
        'data-save': 'csv',
        onclick: () => download(`${spec.name}.csv`, 'text/csv', csv(spec.rows())),
      },
      'CSV',
    ),
  );
}
