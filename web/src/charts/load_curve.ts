// Latency and throughput by load: a line for every network. Latency without end is drawn at the upper edge.
import {max, min} from 'd3-array';
import {scaleLinear, scaleLog, type ScaleContinuousNumeric, type ScaleLinear} from 'd3-scale';
import type {LoadPoint, NocCurve} from '../data';
import {s, textWidth} from '../dom';
import {brief, value} from '../format';
import {colourOf} from '../noc/loads';
import type {Paint} from '../theme';
import {mark} from './marks';
import {canvas, legend, line, round, text, type Key} from './parts';

const left = 52,
  right = 14,
  plotHeight = 280,
  axisHeight = 40,
  labelHeight = 15;

// Around (0, 0): a line is told by its shapes, too.
const shapes = [
  'M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z',
  'M-3.6 -3.6H3.6V3.6H-3.6Z',
  'M0 -4.6L4.6 3.6H-4.6Z',
  'M0 -5.2L5.2 0L0 5.2L-5.2 0Z',
  'M0 4.6L4.6 -3.6H-4.6Z',
];
const shapeOf = (index: number) => shapes[index % shapes.length]!;
const beyond = 'M0 -6L5 1H1.6V6H-1.6V1H-5Z'; // an arrow: it is higher than the axis

const p99Dash = '2.5 2.5';

export interface LoadChart {
  curves: NocCurve[];
  log: boolean; // the axis of latency
}

type Scale = ScaleContinuousNumeric<number, number>;

export const rate = (x: number) => x.toFixed(3);
export const cycles = (x: number) => (x >= 1000 ? value(Math.round(x)) : String(Number(x.toFixed(1))));

export function pointTip(c: NocCurve, p: LoadPoint, several: boolean): string[] {
  return [
    `${several ? `${c.name}: ` : ''}${rate(p.offered)} offered`,
    `${rate(p.accepted)} accepted`,
    `mean latency ${cycles(p.latency)} cycles`,
    `99 of 100 packets within ${cycles(p.p99)}, the longest ${cycles(p.longest)}`,
    ...(p.keeps_up ? [] : ['does not keep up: latency grows as long as it is measured']),
  ];
}

// Rates to the right end of the axis.
export function lastRate(curves: NocCurve[]): number {
  return max(curves.flatMap(c => [c.saturation ?? 0, ...c.points.map(p => p.offered)])) || 1;
}

// Linear: what keeps up, but no more than eight times the latency of an empty network, where the interest ends.
export function latencyDomain({curves, log}: LoadChart): [number, number] {
  const zero = max(curves.map(c => c.zero_load_latency)) ?? 1;
  if (log) {
    const all = curves.flatMap(c => c.points.flatMap(p => [p.latency, p.p99])).filter(v => v > 0);
    const low = Math.min(min(all) ?? zero, min(curves.map(c => c.zero_load_latency)) ?? zero);
    return [0.8 * low, 1.1 * Math.max(max(all) ?? zero, zero)];
  }
  const kept = max(curves.flatMap(c => c.points.filter(p => p.keeps_up).map(p => p.p99))) ?? 0;
  return [0, Math.min(8 * zero, Math.max(3.5 * zero, 1.08 * kept))];
}

interface Plot {
  x: ScaleLinear<number, number>;
  y: Scale;
  top: number;
  paint: Paint;
  several: boolean;
}

// Where rates of saturation are written so that none covers another: rows above the plot.
export function labelRows(at: {from: number; until: number}[]): number[] {
  const ends: number[] = [];
  return at.map(({from, until}) => {
    let row = ends.findIndex(end => end + 8 <= from);
    if (row < 0) row = ends.length;
    ends[row] = until;
    return row;
  });
}

interface Saturation {
  x: number;
  curve: number;
  label: string;
  centre: number; // of the label
  row: number;
}

function saturations(curves: NocCurve[], x: (v: number) => number, width: number): Saturation[] {
  const all = curves
    .map((c, curve) => ({c, curve}))
    .filter(({c}) => c.saturation !== null)
    .map(({c, curve}, i) => {
      const label = i === 0 && curves.length === 1 ? `saturation ${rate(c.saturation!)}` : rate(c.saturation!);
      const half = textWidth(label, 11) / 2;
      return {
        x: x(c.saturation!),
        curve,
        label,
        half,
        centre: Math.max(left + half, Math.min(width - half, x(c.saturation!))),
      };
    })
    .sort((a, b) => a.x - b.x);
  const rows = labelRows(all.map(a => ({from: a.centre - a.half, until: a.centre + a.half})));
  return all.map(({half: _, ...a}, i) => ({...a, row: rows[i]!}));
}

function drawSaturations(
  all: Saturation[],
  curves: NocCurve[],
  plot: Plot,
  rows: number,
  markRow: number,
): SVGElement[] {
  return all.flatMap((a, i) => {
    const colour = plot.paint.designs[colourOf(a.curve)]!;
    const base = plot.top - 6 - (rows - 1 - a.row) * labelHeight;
    const label = text(a.centre, base, a.label, {'text-anchor': 'middle', 'font-size': 11, fill: plot.paint.ink});
    const c = curves[a.curve]!;
    return [
      line(a.x, base + 3, a.x, plot.top + plotHeight, colour, {'stroke-width': 1.2, 'stroke-dasharray': '5 3'}),
      mark(
        label,
        [
          `${plot.several ? `${c.name}: ` : ''}saturation at ${rate(c.saturation!)}`,
          'flits per input and core cycle: above, latency is more than three times that of an empty network',
        ],
        markRow,
        i,
      ),
    ];
  });
}

function axes(plot: Plot, width: number, yName: string, yTick: (v: number) => string, ticks: number[]): SVGElement[] {
  const {x, y, top, paint} = plot,
    bottom = top + plotHeight;
  const muted = {'font-size': 11, fill: paint.muted};
  return [
    ...ticks.flatMap(t => [
      line(left, y(t), width - right, y(t), paint.grid),
      text(left - 7, y(t) + 4, yTick(t), {'text-anchor': 'end', ...muted}),
    ]),
    line(left, bottom, width - right, bottom, paint.muted),
    ...x
      .ticks(Math.max(2, Math.floor(width / 90)))
      .flatMap(t => [
        line(x(t), bottom, x(t), bottom + 4, paint.muted),
        text(x(t), bottom + 16, String(Number(t.toPrecision(3))), {'text-anchor': 'middle', ...muted}),
      ]),
    text(width - right, bottom + 32, 'offered: flits per input and core cycle', {'text-anchor': 'end', ...muted}),
    text(0, top - 6, yName, muted),
  ];
}

// Lines between points; to what does not keep up they are broken.
function path(c: NocCurve, plot: Plot, of: (p: LoadPoint) => number, kept: boolean): string {
  let d = '';
  c.points.forEach((p, i) => {
    const before = c.points[i - 1];
    if (!before || (before.keeps_up && p.keeps_up) !== kept) return;
    const at = (q: LoadPoint) => `${round(plot.x(q.offered))} ${round(Math.max(plot.y(of(q)), plot.top - 2000))}`;
    d += `M${at(before)}L${at(p)}`;
  });
  return d;
}

let clips = 0;

function series(
  c: NocCurve,
  index: number,
  plot: Plot,
  width: number,
  of: (p: LoadPoint) => number,
  style: {dash: string; small: boolean},
  row: number,
): SVGElement[] {
  const colour = plot.paint.designs[colourOf(index)]!,
    id = `clip-load-${++clips}`;
  const stroke = {fill: 'none', stroke: colour, 'stroke-width': style.small ? 1.3 : 2, 'stroke-linejoin': 'round'};
  const lines = s(
    'g',
    {'clip-path': `url(#${id})`},
    s('path', {class: 'line', d: path(c, plot, of, true), 'stroke-dasharray': style.dash || null, ...stroke}),
    s('path', {d: path(c, plot, of, false), 'stroke-dasharray': '1.5 4', ...stroke}),
  );
  const clip = s(
    'clipPath',
    {id},
    s('rect', {x: left, y: plot.top - 1, width: Math.max(0, width - left - right + 6), height: plotHeight + 4}),
  );
  const marks = c.points.map((p, i) => {
    const at = plot.y(of(p)),
      out = at < plot.top;
    const y = out ? plot.top + 6 : at;
    const e = s('path', {
      d: out ? beyond : shapeOf(index),
      transform: `translate(${round(plot.x(p.offered))} ${round(y)})${style.small ? ' scale(0.7)' : ''}`,
      fill: p.keeps_up ? colour : plot.paint.background,
      stroke: colour,
      'stroke-width': 1.5,
    });
    return mark(e, pointTip(c, p, plot.several), row, i);
  });
  return [s('defs', {}, clip), lines, ...marks];
}

function keysOf(curves: NocCurve[], paint: Paint, p99: boolean): Key[] {
  const keys: Key[] =
    curves.length < 2
      ? []
      : curves.map((c, i) => ({
          name: c.name,
          fill: paint.designs[colourOf(i)]!,
          dash: '',
          shape: shapeOf(i),
        }));
  if (p99)
    keys.push({name: 'mean', fill: paint.ink, dash: ''}, {name: '99 of 100 packets', fill: paint.ink, dash: p99Dash});
  if (curves.some(c => c.points.some(p => !p.keeps_up)))
    keys.push({name: 'does not keep up', fill: paint.ink, shape: shapes[0], hollow: true});
  if (curves.some(c => c.saturation !== null)) keys.push({name: 'saturation', fill: paint.muted, dash: '5 3'});
  return keys;
}

// The latency of an empty network: one line for all that have the same.
function zeroLoads(curves: NocCurve[], plot: Plot, width: number, row: number): SVGElement[] {
  const groups = new Map<string, NocCurve[]>();
  for (const c of curves) {
    const key = cycles(c.zero_load_latency);
    groups.set(key, [...(groups.get(key) ?? []), c]);
  }
  let below = Infinity; // labels go up from the axis; one that would cover the last is left to its mark
  return [...groups]
    .sort((a, b) => a[1][0]!.zero_load_latency - b[1][0]!.zero_load_latency)
    .flatMap(([key, list], i) => {
      const y = plot.y(list[0]!.zero_load_latency);
      const shown = below - y >= 13;
      if (shown) below = y;
      const rule = line(left, y, width - right, y, plot.paint.muted, {
        'stroke-width': 1.2,
        'stroke-dasharray': '1.5 3',
      });
      const who = plot.several ? `${list.map(c => c.name).join(', ')}: ` : '';
      return [
        mark(rule, [`${who}${key} cycles at zero load`, 'mean latency of packets alone in the network'], row, i),
        ...(shown
          ? [
              text(width - right, y + 13, `zero load ${key}`, {
                'text-anchor': 'end',
                'font-size': 11,
                fill: plot.paint.muted,
                'pointer-events': 'none',
              }),
            ]
          : []),
      ];
    });
}

function frame(curves: NocCurve[], paint: Paint, width: number, p99: boolean) {
  const names = legend(keysOf(curves, paint, p99), 0, 2, width, paint);
  const x = scaleLinear()
    .domain([0, 1.02 * lastRate(curves)])
    .range([left, width - right]);
  const sat = saturations(curves, x, width);
  const rows = 1 + Math.max(0, ...sat.map(a => a.row));
  // The name of the axis stands beside the lowest row of labels where there is room.
  const beside = sat.every(a => a.centre - textWidth(a.label, 11) / 2 > left + 70);
  const top = names.height + 10 + (rows + (beside ? 0 : 1)) * labelHeight;
  return {names, x, sat, rows, top};
}

export function drawLatency(chart: LoadChart, paint: Paint, width: number): SVGSVGElement {
  const {curves} = chart;
  const {names, x, sat, rows, top} = frame(curves, paint, width, true);
  const y = (chart.log ? scaleLog() : scaleLinear()).domain(latencyDomain(chart)).range([top + plotHeight, top]);
  const plot: Plot = {x, y, top, paint, several: curves.length > 1};
  const ticks = chart.log ? y.ticks(5).filter(t => /^[125]/.test(t.toPrecision(1))) : y.ticks(6);
  return canvas(
    width,
    top + plotHeight + axisHeight,
    paint,
    names.element,
    ...axes(plot, width, 'core cycles', brief, ticks),
    ...zeroLoads(curves, plot, width, 1000),
    ...drawSaturations(sat, curves, plot, rows, -1),
    ...curves.flatMap((c, i) => [
      ...series(c, i, plot, width, p => p.p99, {dash: p99Dash, small: true}, 2 * i),
      ...series(c, i, plot, width, p => p.latency, {dash: '', small: false}, 2 * i + 1),
    ]),
  );
}

export function drawAccepted(curves: NocCurve[], paint: Paint, width: number): SVGSVGElement {
  const {names, x, sat, rows, top} = frame(curves, paint, width, false);
  const most = max(curves.flatMap(c => c.points.map(p => p.accepted))) || 1;
  const y = scaleLinear()
    .domain([0, 1.1 * most])
    .range([top + plotHeight, top]);
  const plot: Plot = {x, y, top, paint, several: curves.length > 1};
  const end = Math.min(x.domain()[1]!, y.domain()[1]!);
  return canvas(
    width,
    top + plotHeight + axisHeight,
    paint,
    names.element,
    ...axes(plot, width, 'accepted', v => String(Number(v.toPrecision(3))), y.ticks(6)),
    line(x(0), y(0), x(end), y(end), paint.muted, {'stroke-width': 1.2, 'stroke-dasharray': '1.5 3'}),
    ...drawSaturations(sat, curves, plot, rows, -1),
    ...curves.flatMap((c, i) => series(c, i, plot, width, p => p.accepted, {dash: '', small: false}, i)),
  );
}

export const loadHeight = plotHeight + axisHeight + 60;
