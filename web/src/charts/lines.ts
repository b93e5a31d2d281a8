// A quantity over time: lines of several designs on one axis, or parts stacked, one panel per design.
import {max} from 'd3-array';
import {scaleLinear, type ScaleLinear} from 'd3-scale';
import {fit, s} from '../dom';
import {brief, count} from '../format';
import {dashes, type Paint} from '../theme';
import {canvas, legend, line, partFill, rect, round, text, type Key} from './parts';
import {plotLeft, plotRight} from './time_axis';

// Values by sample: each belongs to the cycles from `from` to `until`.
export interface Curve {
  name: string;
  colour: number;
  from: number[];
  until: number[];
  values: (number | null)[];
  idle?: boolean; // of a stack: nothing happens; drawn faintly
}

export interface Panel {
  name: string; // empty: none is shown
  curves: Curve[];
}

export interface TimeChart {
  panels: Panel[];
  stacked: boolean;
  unit: string;
  share: boolean; // values are shares of 1
  top?: number; // of the axis; otherwise the largest value
  domain: [number, number];
}

const panelHeight = 132,
  stackHeight = 96,
  axisHeight = 30;

// The sample that has this cycle, or -1.
export function sampleAt(c: Curve, cycle: number): number {
  let a = 0,
    b = c.from.length - 1;
  while (a <= b) {
    const m = (a + b) >> 1;
    if (c.until[m]! <= cycle) a = m + 1;
    else if (c.from[m]! > cycle) b = m - 1;
    else return m;
  }
  return -1;
}

export const valueText = (c: TimeChart, v: number) =>
  c.share ? `${(100 * v).toFixed(1)}%` : String(Number(v.toPrecision(4)));

// What the chart says at a cycle, for the tip.
export function readout(c: TimeChart, title: string, cycle: number): string[] {
  const out = [`${title}, cycle ${count(cycle)}`];
  for (const p of c.panels) {
    for (const curve of c.stacked ? [...p.curves].reverse() : p.curves) {
      const v = curve.values[sampleAt(curve, cycle)];
      if (v === null || v === undefined || (c.stacked && v < 0.0005)) continue;
      out.push(`${c.panels.length > 1 ? `${p.name}, ` : ''}${curve.name}: ${valueText(c, v)}`);
    }
  }
  return out;
}

type Scale = ScaleLinear<number, number>;

// Only what is in the domain, and one sample beyond it on either side.
function visible(c: Curve, [a, b]: [number, number]): [number, number] {
  let from = 0,
    until = c.from.length;
  while (from < until && c.until[from]! < a) ++from;
  while (until > from && c.from[until - 1]! > b) --until;
  return [from, until];
}

// Steps where a sample is wide enough to see that its value belongs to all of it; else a line through the middles.
const stepPixels = 7;

// Whether a sample begins where the one before it ended; between launches there may be a gap.
const joins = (c: Curve, i: number) => i > 0 && c.from[i]! <= c.until[i - 1]! + 1;

function path(c: Curve, x: Scale, y: (v: number) => number, domain: [number, number]): string {
  let d = '',
    pen = false;
  const [from, until] = visible(c, domain);
  const steps = until > from && (x(c.until[until - 1]!) - x(c.from[from]!)) / (until - from) >= stepPixels;
  for (let i = from; i < until; ++i) {
    const v = c.values[i];
    if (v === null || v === undefined) {
      pen = false;
      continue;
    }
    const to = pen && joins(c, i) ? 'L' : 'M',
      a = x(c.from[i]!),
      b = x(c.until[i]!);
    d += steps ? `${to}${round(a)} ${round(y(v))}H${round(b)}` : `${to}${round((a + b) / 2)} ${round(y(v))}`;
    pen = true;
  }
  return d;
}

// Parts on top of each other; a piece of its own for every stretch without a gap.
function areas(p: Panel, x: Scale, y: Scale, fills: string[], domain: [number, number]): SVGElement[] {
  const first = p.curves[0];
  if (!first) return [];
  const [from, until] = visible(first, domain);
  const base = new Array<number>(first.from.length).fill(0);
  return p.curves.map((c, k) => {
    let d = '',
      up = '',
      down = '';
    for (let i = from; i < until; ++i) {
      const low = base[i]!,
        high = low + (c.values[i] ?? 0);
      base[i] = high;
      if (up && !joins(first, i)) [d, up, down] = [`${d}${up}${down}Z`, '', ''];
      const [a, b] = [round(x(first.from[i]!)), round(x(first.until[i]!))];
      up += `${up ? 'L' : 'M'}${a} ${round(y(high))}H${b}`;
      down = `L${b} ${round(y(low))}H${a}${down}`;
    }
    return s('path', {class: 'area', d: up ? `${d}${up}${down}Z` : d, fill: fills[k]!});
  });
}

function clip(id: string, width: number, height: number): SVGElement {
  return s(
    'clipPath',
    {id},
    s('rect', {x: plotLeft, y: -2, width: Math.max(0, width - plotLeft - plotRight), height: height + 4}),
  );
}

let clips = 0;

export function timeScale(domain: [number, number], width: number): Scale {
  return scaleLinear()
    .domain(domain)
    .range([plotLeft, width - plotRight]);
}

export function timeTicks(x: Scale, y: number, width: number, paint: Paint): SVGElement[] {
  return [
    ...x
      .ticks(Math.max(2, Math.floor(width / 110)))
      .flatMap(t => [
        line(x(t), y, x(t), y + 4, paint.muted),
        text(x(t), y + 16, brief(t), {'text-anchor': 'middle', 'font-size': 11, fill: paint.muted}),
      ]),
    text(width - plotRight, y + 28, 'cycles', {'text-anchor': 'end', 'font-size': 11, fill: paint.muted}),
  ];
}

function panel(
  c: TimeChart,
  p: Panel,
  x: Scale,
  width: number,
  height: number,
  top: number,
  paint: Paint,
  fills: string[],
): SVGElement {
  const y = scaleLinear()
    .domain([0, top || 1])
    .range([height, 6]);
  const g = s('g', {});
  for (const t of y.ticks(c.stacked ? 2 : 4)) {
    g.append(
      line(plotLeft, y(t), width - plotRight, y(t), t === 0 ? paint.muted : paint.grid),
      text(plotLeft - 7, y(t) + 4, c.share ? `${Math.round(100 * t)}%` : brief(t), {
        'text-anchor': 'end',
        'font-size': 11,
        fill: paint.muted,
      }),
    );
  }
  const id = `clip-${++clips}`;
  g.append(s('defs', {}, clip(id, width, height)));
  const inside = s('g', {'clip-path': `url(#${id})`});
  if (c.stacked) inside.append(...areas(p, x, y, fills, c.domain));
  else {
    for (const curve of p.curves) {
      inside.append(
        s('path', {
          class: 'line',
          d: path(curve, x, y, c.domain),
          fill: 'none',
          stroke: paint.designs[curve.colour % paint.designs.length]!,
          'stroke-width': 1.7,
          'stroke-dasharray': dashes[curve.colour % dashes.length] || null,
          'stroke-linejoin': 'round',
        }),
      );
    }
  }
  g.append(inside);
  return g;
}

function keysOf(c: TimeChart, paint: Paint, defs: SVGElement[]): {keys: Key[]; fills: string[]} {
  const curves = c.panels.reduce<Curve[]>((most, p) => (p.curves.length > most.length ? p.curves : most), []);
  if (!c.stacked) {
    return {
      fills: [],
      keys: curves.map(x => ({
        name: x.name,
        fill: paint.designs[x.colour % paint.designs.length]!,
        dash: dashes[x.colour % dashes.length] ?? '',
      })),
    };
  }
  const fills = curves.map((c, i) => {
    if (c.idle) return paint.grid;
    const t = partFill(i, paint);
    if (t.defs) defs.push(t.defs);
    return t.fill;
  });
  return {
    fills,
    keys: curves.map((x, i) => ({name: x.name, fill: fills[i]!, stroke: x.idle ? paint.muted : undefined})),
  };
}

// The top of the axis: of stacked curves, the highest pile.
function highest(c: TimeChart): number {
  if (c.top !== undefined) return c.top;
  if (!c.stacked) return max(c.panels.flatMap(p => p.curves.flatMap(x => x.values.map(v => v ?? 0)))) ?? 1;
  return (
    max(
      c.panels.flatMap(p =>
        (p.curves[0]?.values ?? []).map((_, i) => p.curves.reduce((sum, x) => sum + (x.values[i] ?? 0), 0)),
      ),
    ) ?? 1
  );
}

export function drawTime(c: TimeChart, paint: Paint, width: number): SVGSVGElement {
  const defs: SVGElement[] = [];
  const {keys, fills} = keysOf(c, paint, defs);
  const names = legend(keys, plotLeft, 2, width - plotLeft, paint);
  const x = timeScale(c.domain, width);
  const each = c.stacked ? stackHeight : panelHeight;
  const step = each + (c.panels.length > 1 ? 30 : 8);
  const top = names.height + 8;
  const out: SVGElement[] = [s('defs', {}, ...defs), names.element];
  const most = highest(c);
  c.panels.forEach((p, i) => {
    const y = top + i * step + (c.panels.length > 1 ? 20 : 0);
    if (c.panels.length > 1)
      out.push(text(plotLeft, y - 5, fit(p.name, 12, width - plotLeft), {'font-size': 12, 'font-weight': 600}));
    const g = panel(c, p, x, width, each, most, paint, fills);
    g.setAttribute('transform', `translate(0 ${round(y)})`);
    out.push(g);
  });
  const bottom = top + c.panels.length * step + (c.panels.length > 1 ? -8 : 0);
  out.push(...timeTicks(x, bottom, width, paint));
  const height = bottom + axisHeight;
  out.push(
    line(plotLeft, top, plotLeft, bottom, paint.ink, {class: 'cursor', visibility: 'hidden', 'stroke-width': 1}),
  );
  out.push(rect(plotLeft, 0, Math.max(0, width - plotLeft - plotRight), bottom, 'transparent', {class: 'scrub'}));
  return canvas(width, height, paint, ...out);
}

export function timeHeight(panels: number, stacked: boolean): number {
  return 60 + panels * ((stacked ? stackHeight : panelHeight) + (panels > 1 ? 30 : 8));
}
