// Which CTA ran on which SM, and when. Thousands of spans: on the page a canvas, saved as SVG.
import {interpolateViridis} from 'd3-scale-chromatic';
import {chart, type Chart, type ChartSpec} from '../charts/chart';
import {timeScale, timeTicks} from '../charts/lines';
import {hideTip, showTip} from '../charts/marks';
import {canvas, rect, text} from '../charts/parts';
import {plotLeft, plotRight, steer, type TimeAxis} from '../charts/time_axis';
import type {Ctas} from '../data';
import {s} from '../dom';
import {count, slug} from '../format';
import type {Case, Entry} from '../model';
import type {Paint} from '../theme';

const plotHeight = 260,
  top = 30;

// CTAs that share an SM lie below each other: `lane` of each span, and how many lanes an SM needs.
export function lanes(c: Ctas): {lane: Uint16Array; of: number} {
  const order = [...c.from.keys()].sort((a, b) => c.from[a]! - c.from[b]! || a - b);
  const free: number[][] = Array.from({length: c.sms}, () => []); // by SM: when each lane is free
  const lane = new Uint16Array(c.from.length);
  let of = 1;
  for (const i of order) {
    const ends = free[c.sm[i]!];
    if (!ends) continue;
    let k = ends.findIndex(e => e <= c.from[i]!);
    if (k < 0) k = ends.push(0) - 1;
    ends[k] = c.until[i]!;
    lane[i] = k;
    of = Math.max(of, k + 1);
  }
  return {lane, of};
}

// By its number in the grid: CTAs that are neighbours there have nearly the same colour.
// The end of the scale that the background swallows is left out.
function colours(c: Ctas, paint: Paint): (i: number) => string {
  const most = c.cta.reduce((a, b) => Math.max(a, b), 1);
  const [from, span] = paint.name === 'dark' ? [0.24, 0.76] : [0, 0.88];
  return i => interpolateViridis(from + (span * c.cta[i]!) / most);
}

interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

function boxOf(
  c: Ctas,
  l: {lane: Uint16Array; of: number},
  i: number,
  x: (v: number) => number,
  left: number,
  right: number,
): Box | null {
  const a = Math.max(left, x(c.from[i]!)),
    b = Math.min(right, x(c.until[i]!));
  if (b <= left || a >= right) return null;
  const row = plotHeight / c.sms,
    h = row / l.of;
  return {
    x: a,
    y: c.sm[i]! * row + l.lane[i]! * h,
    w: Math.max(0.6, b - a - 0.4),
    h: Math.max(0.6, h - (h > 3 ? 0.5 : 0)),
  };
}

function frame(e: Entry, c: Ctas, x: ReturnType<typeof timeScale>, width: number, paint: Paint): SVGElement[] {
  const row = plotHeight / c.sms,
    every = Math.max(1, Math.ceil(c.sms / 6 / 5) * 5);
  const labels: SVGElement[] = [];
  for (let sm = 0; sm < c.sms; sm += every)
    labels.push(
      text(plotLeft - 7, top + (sm + 0.5) * row + 4, String(sm), {
        'text-anchor': 'end',
        'font-size': 11,
        fill: paint.muted,
      }),
    );
  return [
    text(0, 14, 'SM', {'font-size': 11, fill: paint.muted}),
    text(plotLeft, 14, e.design, {'font-size': 12.5, 'font-weight': 600}),
    ...labels,
    ...timeTicks(x, top + plotHeight, width, paint),
  ];
}

function drawCtas(e: Entry, domain: [number, number], paint: Paint, width: number, asImage: boolean): SVGSVGElement {
  const c = e.run.detail!.ctas!,
    l = lanes(c),
    x = timeScale(domain, width),
    colour = colours(c, paint);
  const right = width - plotRight;
  const out = frame(e, c, x, width, paint);
  const height = top + plotHeight + 32;
  if (!asImage) {
    for (let i = 0; i < c.from.length; ++i) {
      const b = boxOf(c, l, i, x, plotLeft, right);
      if (b) out.push(rect(b.x, top + b.y, b.w, b.h, colour(i)));
    }
    return canvas(width, height, paint, ...out);
  }
  const scale = Math.min(2, devicePixelRatio || 1);
  const pixels = document.createElement('canvas');
  pixels.width = Math.max(1, Math.round((right - plotLeft) * scale));
  pixels.height = plotHeight * scale;
  const g = pixels.getContext('2d')!;
  g.scale(scale, scale);
  for (let i = 0; i < c.from.length; ++i) {
    const b = boxOf(c, l, i, x, plotLeft, right);
    if (!b) continue;
    g.fillStyle = colour(i);
    g.fillRect(b.x - plotLeft, b.y, b.w, b.h);
  }
  const holder = s('foreignObject', {x: plotLeft, y: top, width: right - plotLeft, height: plotHeight});
  pixels.style.width = `${right - plotLeft}px`;
  pixels.style.height = `${plotHeight}px`;
  pixels.setAttribute('class', 'spans');
  holder.append(pixels);
  out.push(holder);
  return canvas(width, height, paint, ...out);
}

function describe(e: Entry, c: Ctas, i: number): string[] {
  return [
    `${e.design}: CTA ${count(c.cta[i]!)} of launch ${c.launch[i]! + 1}`,
    `on SM ${c.sm[i]}`,
    `cycles ${count(c.from[i]!)} to ${count(c.until[i]!)}`,
  ];
}

export function ctaSpec(c: Case, e: Entry, domain: () => [number, number]): ChartSpec {
  const ctas = e.run.detail!.ctas!;
  const note = `Coloured by the CTA's number in the grid, from violet to green: neighbours have nearly the same colour.${ctas.from.length < ctas.of ? ` ${count(ctas.from.length)} of ${count(ctas.of)} CTAs are shown.` : ''}`;
  return {
    name: slug(`ctas ${c.label} ${e.design}`),
    title: `CTA placement: ${e.design}`,
    note,
    height: () => top + plotHeight + 32,
    draw: (paint, width) => drawCtas(e, domain(), paint, width, false),
    onPage: (paint, width) => drawCtas(e, domain(), paint, width, true),
    rows: () => [
      ['launch', 'cta', 'sm', 'from', 'until'],
      ...ctas.cta.map((cta, i) => [ctas.launch[i], cta, ctas.sm[i], ctas.from[i], ctas.until[i]]),
    ],
  };
}

// Tells the CTA below the pointer, or at the keyboard's cursor: up and down choose the SM.
function watch(made: Chart, e: Entry, axis: TimeAxis): void {
  const c = e.run.detail!.ctas!,
    l = lanes(c),
    holder = made.holder;
  let sm = 0;
  const find = (cycle: number, of: number, lane: number | null) => {
    for (let i = 0; i < c.from.length; ++i) {
      if (c.sm[i] === of && c.from[i]! <= cycle && cycle < c.until[i]! && (lane === null || l.lane[i] === lane))
        return i;
    }
    return -1;
  };
  const cycleAt = (x: number) => timeScale(axis.domain, holder.clientWidth).invert(x);
  holder.addEventListener('pointermove', ev => {
    const box = holder.getBoundingClientRect();
    const y = (ev.clientY - box.top - top) / (plotHeight / c.sms);
    const i =
      y < 0 || y >= c.sms ? -1 : find(cycleAt(ev.clientX - box.left), Math.floor(y), Math.floor((y % 1) * l.of));
    if (i < 0) hideTip();
    else showTip(describe(e, c, i), ev.clientX, ev.clientY);
  });
  holder.addEventListener('pointerleave', hideTip);
  const tell = () => {
    if (document.activeElement !== holder || axis.cursor === null) return;
    const i = find(axis.cursor, sm, null);
    const lines = i < 0 ? [`${e.design}: SM ${sm}`, `no CTA shown at cycle ${count(axis.cursor)}`] : describe(e, c, i);
    holder.setAttribute('aria-valuetext', lines.join('. '));
    holder.setAttribute('aria-valuenow', String(Math.round(axis.cursor)));
    const box = holder.getBoundingClientRect();
    showTip(
      lines,
      box.left + timeScale(axis.domain, holder.clientWidth)(axis.cursor),
      box.top + top + (sm + 1) * (plotHeight / c.sms),
    );
  };
  holder.addEventListener('keydown', ev => {
    if (ev.key !== 'ArrowUp' && ev.key !== 'ArrowDown') return;
    ev.preventDefault();
    sm = Math.max(0, Math.min(c.sms - 1, sm + (ev.key === 'ArrowUp' ? -1 : 1)));
    axis.point(axis.cursor ?? (axis.domain[0] + axis.domain[1]) / 2);
  });
  holder.addEventListener('blur', hideTip);
  axis.listen(what => {
    if (!holder.isConnected) return;
    if (what === 'domain') made.redraw();
    else tell();
  });
}

export function ctaCharts(c: Case, entries: Entry[], axis: TimeAxis): Chart[] {
  return entries
    .filter(e => e.run.detail?.ctas && e.run.detail.ctas.sms > 0)
    .map(e => {
      const spec = ctaSpec(c, e, () => axis.domain);
      const made = chart(spec, {interact: holder => steer(holder, axis, () => axis.full / 100)});
      const holder = made.holder;
      holder.tabIndex = 0;
      holder.setAttribute('role', 'slider');
      holder.setAttribute(
        'aria-label',
        `${spec.title}: cursor in cycles. Arrow keys move it in time and from SM to SM; plus and minus zoom, 0 shows all.`,
      );
      holder.setAttribute('aria-valuemin', '0');
      holder.setAttribute('aria-valuemax', String(axis.full));
      holder.setAttribute('aria-valuenow', '0');
      watch(made, e, axis);
      return made;
    });
}
