// Points on two logarithmic axes of the same range, with the diagonal on which both numbers are the same.
import {max, min} from 'd3-array';
import {scaleLog, type ScaleContinuousNumeric} from 'd3-scale';
import {s} from '../dom';
import {brief} from '../format';
import type {Paint} from '../theme';
import {mark} from './marks';
import {canvas, legend, line, round, text, type Key} from './parts';

export interface ScatterPoint {
  x: number;
  y: number;
  group: number; // index of Scatter.groups
  tip: string[];
}

export interface Scatter {
  groups: string[];
  points: ScatterPoint[];
  xAxis: string;
  yAxis: string;
  band: number; // dotted lines where y is off by that share; 0: none
}

const left = 56,
  right = 14,
  axisHeight = 40,
  mostHeight = 460;

// Around (0, 0): a group is told by its shape, too.
const shapes = [
  'M-4.4 0a4.4 4.4 0 1 0 8.8 0a4.4 4.4 0 1 0 -8.8 0Z',
  'M-4 -4H4V4H-4Z',
  'M0 -5L5 4H-5Z',
  'M0 -5.6L5.6 0L0 5.6L-5.6 0Z',
  'M0 5L5 -4H-5Z',
];
export const shapeOf = (group: number) => shapes[group % shapes.length]!;
export const colourOf = (group: number) => 1 + (group % 9); // the first is the grey of a baseline

// A little more than what the points need, the same for both.
export function domain(points: ScatterPoint[]): [number, number] {
  const all = points.flatMap(p => [p.x, p.y]).filter(v => v > 0);
  return [(min(all) ?? 1) / 1.3, (max(all) ?? 10) * 1.3];
}

export function plotHeight(width: number): number {
  return Math.min(mostHeight, Math.max(200, width - left - right));
}

type Scale = ScaleContinuousNumeric<number, number>;

function ticksOf(scale: Scale): number[] {
  const all = scale.ticks();
  const powers = all.filter(t => /^1(e|0*$)/.test(String(t)));
  return powers.length > 2 ? powers : all.filter(t => /^[125]/.test(String(t)));
}

// A line of constant ratio y / x, as far as both are inside.
function ratioLine(x: Scale, y: Scale, ratio: number, stroke: string, dash: string): SVGElement {
  const [low, high] = x.domain() as [number, number];
  const from = Math.max(low, low / ratio),
    until = Math.min(high, high / ratio);
  return line(x(from), y(from * ratio), x(until), y(until * ratio), stroke, {
    'stroke-width': 1.2,
    'stroke-dasharray': dash || null,
  });
}

function axes(c: Scatter, x: Scale, y: Scale, top: number, bottom: number, width: number, paint: Paint): SVGElement[] {
  const style = {'font-size': 11, fill: paint.muted};
  const ticks = ticksOf(x);
  return [
    ...ticks.flatMap(t => [
      line(x(t), top, x(t), bottom, paint.grid),
      text(x(t), bottom + 15, brief(t), {...style, 'text-anchor': 'middle'}),
      line(left, y(t), width - right, y(t), paint.grid),
      text(left - 6, y(t) + 4, brief(t), {...style, 'text-anchor': 'end'}),
    ]),
    text(width - right, bottom + 32, c.xAxis, {...style, 'text-anchor': 'end'}),
    text(left, top - 8, c.yAxis, style),
  ];
}

export function drawScatter(c: Scatter, paint: Paint, width: number): SVGSVGElement {
  const keys: Key[] = c.groups.map((name, g) => ({name, fill: paint.designs[colourOf(g)]!, shape: shapeOf(g)}));
  const names = legend(keys, 0, 2, width, paint);
  const top = names.height + 26,
    bottom = top + plotHeight(width);
  const x = scaleLog()
    .domain(domain(c.points))
    .range([left, width - right]);
  const y = scaleLog().domain(domain(c.points)).range([bottom, top]);
  const sorted = [...c.points].sort((a, b) => a.x - b.x); // arrow keys go from left to right
  return canvas(
    width,
    bottom + axisHeight,
    paint,
    names.element,
    ...axes(c, x, y, top, bottom, width, paint),
    ratioLine(x, y, 1, paint.muted, ''),
    ...(c.band > 0 ? [1 - c.band, 1 + c.band].map(r => ratioLine(x, y, r, paint.muted, '1.5 3')) : []),
    ...sorted.map((p, i) =>
      mark(
        s('path', {
          d: shapeOf(p.group),
          transform: `translate(${round(x(p.x))} ${round(y(p.y))})`,
          fill: paint.designs[colourOf(p.group)]!,
          'fill-opacity': 0.75,
          stroke: paint.background,
          'stroke-width': 0.8,
        }),
        p.tip,
        0,
        i,
      ),
    ),
  );
}
