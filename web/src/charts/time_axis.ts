// The time axis that all charts over time share: what part of it is shown, and where the reader's cursor is.
// Zooming and panning with mouse, touch and keyboard.

export const plotLeft = 56,
  plotRight = 12;

export class TimeAxis {
  domain: [number, number];
  cursor: number | null = null;
  private readonly listeners = new Set<(what: 'domain' | 'cursor') => void>();
  private waiting = false;

  constructor(public full: number) {
    this.domain = [0, full];
  }

  get zoomed(): boolean {
    return this.domain[0] > 0 || this.domain[1] < this.full;
  }

  // `factor` below 1 shows less of the run. `centre` stays where it is.
  zoom(factor: number, centre = (this.domain[0] + this.domain[1]) / 2): void {
    const [a, b] = this.domain;
    const span = Math.min(this.full, Math.max(this.full / 2000, 16, (b - a) * factor));
    const from = centre - ((centre - a) / (b - a)) * span;
    this.set(from, from + span);
  }

  pan(cycles: number): void {
    this.set(this.domain[0] + cycles, this.domain[1] + cycles);
  }

  reset(): void {
    this.set(0, this.full);
  }

  // Keeps its length inside the run.
  set(from: number, until: number): void {
    const span = Math.min(this.full, until - from);
    const a = Math.max(0, Math.min(from, this.full - span));
    this.domain = [a, a + span];
    this.tell('domain');
  }

  point(cycle: number | null): void {
    this.cursor = cycle === null ? null : Math.max(0, Math.min(this.full, cycle));
    for (const f of this.listeners) f('cursor');
  }

  listen(f: (what: 'domain' | 'cursor') => void): void {
    this.listeners.add(f);
  }

  // At most once per frame: dragging brings many events.
  private tell(what: 'domain'): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      for (const f of this.listeners) f(what);
    });
  }
}

// Makes a chart's holder zoom and pan. `step`: how far an arrow key moves the cursor, in cycles. Without `keys` arrow keys are
// left to the chart's marks.
export function steer(holder: HTMLElement, axis: TimeAxis, step: () => number, {keys = true} = {}): void {
  const left = plotLeft;
  const width = () => Math.max(1, holder.clientWidth - left - plotRight);
  const cycleAt = (clientX: number) => {
    const x = (clientX - holder.getBoundingClientRect().left - left) / width();
    return axis.domain[0] + x * (axis.domain[1] - axis.domain[0]);
  };
  const perPixel = () => (axis.domain[1] - axis.domain[0]) / width();
  const fingers = new Map<number, number>();
  holder.classList.add('steered');
  holder.addEventListener(
    'wheel',
    e => {
      if (!e.ctrlKey && !e.metaKey && !holder.contains(document.activeElement)) return; // the page scrolls
      e.preventDefault();
      if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) axis.pan(e.deltaX * perPixel());
      else axis.zoom(Math.exp(e.deltaY * 0.002), cycleAt(e.clientX));
    },
    {passive: false},
  );
  holder.addEventListener('pointerdown', e => {
    if (e.button !== 0) return;
    fingers.set(e.pointerId, e.clientX);
    holder.setPointerCapture(e.pointerId);
  });
  holder.addEventListener('pointermove', e => {
    const before = fingers.get(e.pointerId);
    if (before === undefined) return axis.point(cycleAt(e.clientX));
    if (fingers.size === 1) axis.pan((before - e.clientX) * perPixel());
    else if (fingers.size === 2) {
      const other = [...fingers].find(([id]) => id !== e.pointerId)![1];
      const [was, is] = [Math.abs(before - other), Math.abs(e.clientX - other)];
      if (was > 4 && is > 4) axis.zoom(was / is, cycleAt((e.clientX + other) / 2));
    }
    fingers.set(e.pointerId, e.clientX);
  });
  for (const end of ['pointerup', 'pointercancel', 'lostpointercapture'] as const)
    holder.addEventListener(end, e => fingers.delete(e.pointerId));
  holder.addEventListener('pointerleave', () => axis.point(null));
  holder.addEventListener('dblclick', () => axis.reset());
  holder.addEventListener('keydown', e => press(e, axis, step(), keys));
}

// What a key does to the axis.
function press(e: KeyboardEvent, axis: TimeAxis, step: number, keys: boolean): void {
  const span = axis.domain[1] - axis.domain[0];
  const cursor = axis.cursor ?? (axis.domain[0] + axis.domain[1]) / 2;
  const move = (by: number) => {
    const to = Math.max(0, Math.min(axis.full, cursor + by));
    if (to < axis.domain[0] || to > axis.domain[1])
      axis.pan(to < axis.domain[0] ? to - axis.domain[0] : to - axis.domain[1]);
    axis.point(to);
  };
  const actions: Record<string, () => void> = {
    ArrowLeft: () => (e.shiftKey ? axis.pan(-span / 8) : move(-step)),
    ArrowRight: () => (e.shiftKey ? axis.pan(span / 8) : move(step)),
    '+': () => axis.zoom(0.7, cursor),
    '=': () => axis.zoom(0.7, cursor),
    '-': () => axis.zoom(1 / 0.7, cursor),
    '0': () => axis.reset(),
    Escape: () => axis.point(null),
  };
  const act = actions[e.key];
  if (!act || (!keys && /^(Arrow|Escape)/.test(e.key)) || e.ctrlKey || e.metaKey || e.altKey) return;
  e.preventDefault();
  act();
}
