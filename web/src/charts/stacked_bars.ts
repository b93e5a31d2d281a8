// Stacked bars, one below the other, on one scale; a part may have a hatched share. Numbers of a bar stand beside it, or
// above it where the width has no room for them.
import {max, sum} from 'd3-array';
import {scaleLinear} from 'd3-scale';
import {fit, s, textWidth, type Attributes} from '../dom';
import {share} from '../format';
import type {Paint} from '../theme';
import {mark} from './marks';
import {canvas, hatch, legend, line, partFill, rect, text, type Key} from './parts';

export interface Segment {
  part: number; // index of StackedBars.parts
  hatched: boolean;
  from: number;
  until: number;
  tip: string[];
}

export interface StackedBar {
  name: string;
  total: string;
  beside: string[]; // by StackedBars.columns; empty: nothing
  segments: Segment[];
}

export interface StackedBars {
  parts: {name: string; colour: number}[]; // colour: index of Paint.parts
  hatched: string; // what hatched segments are; empty: there are none
  columns: string[]; // what stands beside the bars
  bars: StackedBar[];
  reference: number; // of the dotted line
  axis: string; // what lengths are
  tick(x: number): string;
}

const barHeight = 24,
  headHeight = 24,
  lineHeight = 18,
  labelHeight = 20,
  rowGap = 12,
  axisHeight = 44,
  columnWidth = 74,
  narrow = 620; // no room for columns

interface Fill {
  plain: string;
  hatched: string;
  colour: string;
}

interface Frame {
  width: number;
  room: number; // of the bars
  aside: boolean; // numbers stand beside the bars
  x: (v: number) => number;
  ticks: number[];
  paint: Paint;
}

const lengthOf = (b: StackedBar) => b.segments[b.segments.length - 1]?.until ?? 0;

const isAside = (c: StackedBars, width: number) => c.columns.length > 0 && width >= narrow;
const headOf = (b: StackedBar, aside: boolean) => headHeight + (b.beside.length > 0 && !aside ? lineHeight : 0);
const rowOf = (b: StackedBar, aside: boolean) => headOf(b, aside) + barHeight + labelHeight + rowGap;

function frame(c: StackedBars, paint: Paint, width: number): Frame {
  const aside = isAside(c, width);
  const room = width - (aside ? c.columns.length * columnWidth + 12 : 20);
  const scale = scaleLinear()
    .domain([0, Math.max(c.reference, max(c.bars, lengthOf) ?? 0)])
    .range([0, room]);
  return {width, room, aside, x: scale, ticks: scale.ticks(room < 400 ? 4 : 8), paint};
}

function fillsOf(c: StackedBars, paint: Paint, defs: SVGElement[]): Fill[] {
  return c.parts.map(p => {
    const colour = paint.parts[p.colour % paint.parts.length]!;
    const plain = partFill(p.colour, paint),
      lines = hatch(colour, paint.background);
    defs.push(lines.defs);
    if (plain.defs) defs.push(plain.defs);
    return {plain: plain.fill, hatched: lines.fill, colour};
  });
}

function keysOf(c: StackedBars, fills: Fill[], paint: Paint, defs: SVGElement[]): Key[] {
  const keys: Key[] = c.parts.map((p, i) => ({name: p.name, fill: fills[i]!.plain}));
  if (!c.hatched) return keys;
  const lines = hatch(paint.muted, paint.background);
  defs.push(lines.defs);
  return [...keys, {name: c.hatched, fill: lines.fill, stroke: paint.muted}];
}

function drawSegment(g: Segment, fill: Fill, y: number, row: number, f: Frame): SVGElement {
  const from = f.x(g.from) + (g.hatched ? 0.4 : 1), // a seam of background before each part
    width = Math.max(1.2, f.x(g.until) - from - (g.hatched ? 0.4 : 0));
  const shape = g.hatched
    ? rect(from, y + 0.4, width, barHeight - 0.8, fill.hatched, {stroke: fill.colour, 'stroke-width': 0.8})
    : rect(from, y, width, barHeight, fill.plain);
  return mark(shape, g.tip, row, 2 * g.part + Number(g.hatched));
}

// Names of the parts below the bar, where they fit.
function labels(c: StackedBars, b: StackedBar, y: number, f: Frame): SVGElement[] {
  return c.parts.flatMap((p, i) => {
    const own = b.segments.filter(g => g.part === i);
    if (own.length === 0) return [];
    const from = own[0]!.from,
      until = own[own.length - 1]!.until;
    const room = f.x(until) - f.x(from) - 6;
    const name = [`${p.name} ${share((until - from) / lengthOf(b), 0)}`, p.name].find(t => textWidth(t, 11) <= room);
    return name ? [text(f.x(from) + 1, y + barHeight + 14, name, {'font-size': 11, fill: f.paint.muted})] : [];
  });
}

function heading(b: StackedBar, y: number, {room, paint}: Frame): SVGElement {
  const name = fit(b.name, 13, room - textWidth(b.total, 12) - 10);
  const e = text(0, y, '', {'font-size': 12, fill: paint.muted});
  e.append(s('tspan', {'font-size': 13, 'font-weight': 650, fill: paint.ink}, name), s('tspan', {dx: 8}, b.total));
  return e;
}

const columnEnd = (c: StackedBars, i: number, f: Frame) => f.width - (c.columns.length - 1 - i) * columnWidth;

function numbers(c: StackedBars, b: StackedBar, top: number, f: Frame): SVGElement[] {
  if (b.beside.length === 0) return [];
  if (f.aside)
    return b.beside.map((t, i) =>
      text(columnEnd(c, i, f), top + headHeight + barHeight / 2 + 4.5, t, {'font-size': 12.5, 'text-anchor': 'end'}),
    );
  const said = b.beside.map((t, i) => `${c.columns[i]} ${t}`).join(', ');
  return [text(0, top + 14 + lineHeight, fit(said, 12, f.width), {'font-size': 12})];
}

function referenceLine(at: number, y: number, paint: Paint): SVGElement[] {
  const draw = (stroke: string, style: Attributes) =>
    line(at, y - 4, at, y + barHeight + 4, stroke, {...style, 'pointer-events': 'none'});
  return [draw(paint.background, {'stroke-width': 3}), draw(paint.ink, {'stroke-dasharray': '2 2'})];
}

function drawRow(c: StackedBars, row: number, top: number, fills: Fill[], f: Frame): SVGElement[] {
  const b = c.bars[row]!,
    y = top + headOf(b, f.aside);
  return [
    heading(b, top + 14, f),
    ...f.ticks.map(t => line(f.x(t), y - 3, f.x(t), y + barHeight + 3, f.paint.grid)),
    ...b.segments.map(g => drawSegment(g, fills[g.part]!, y, row, f)),
    ...referenceLine(f.x(c.reference), y, f.paint),
    ...labels(c, b, y, f),
    ...numbers(c, b, top, f),
  ];
}

function drawAxis(c: StackedBars, y: number, f: Frame): SVGElement[] {
  const style = {'font-size': 11, fill: f.paint.muted};
  return [
    ...f.ticks.map(t => text(f.x(t), y + 10, c.tick(t), {...style, 'text-anchor': t === 0 ? 'start' : 'middle'})),
    text(0, y + 30, fit(c.axis, 11, f.width), style),
  ];
}

export function drawStackedBars(c: StackedBars, paint: Paint, width: number): SVGSVGElement {
  const defs: SVGElement[] = [];
  const fills = fillsOf(c, paint, defs),
    f = frame(c, paint, width);
  const names = legend(keysOf(c, fills, paint, defs), 0, 2, width, paint);
  const top = names.height + 14;
  const heads = (f.aside ? c.columns : []).map((name, i) =>
    text(columnEnd(c, i, f), top + 14, name, {'font-size': 12, 'text-anchor': 'end', fill: paint.muted}),
  );
  let bottom = top;
  const rows = c.bars.flatMap((b, i) => {
    const at = bottom;
    bottom += rowOf(b, f.aside);
    return drawRow(c, i, at, fills, f);
  });
  return canvas(
    width,
    bottom + axisHeight,
    paint,
    s('defs', {}, ...defs),
    names.element,
    ...heads,
    ...rows,
    ...drawAxis(c, bottom, f),
  );
}

export function stackedBarsHeight(c: StackedBars, width: number): number {
  return 34 + sum(c.bars, b => rowOf(b, isAside(c, width))) + axisHeight;
}
