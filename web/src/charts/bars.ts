// Bars in groups, as in the papers' figures: a group per workload, a bar per comparison; the paper's number as a mark,
// the range as a whisker, the verdict as a sign. Groups that do not fit beside each other go on in the next row.
import {max, min} from 'd3-array';
import {scaleLinear} from 'd3-scale';
import {fit, s, textWidth} from '../dom';
import type {Paint} from '../theme';
import {mark} from './marks';
import {canvas, legend, line, rect, text, textured, type Key} from './parts';

export interface Bar {
  ours: number | null;
  low: number | null;
  high: number | null;
  paper: number | null;
  verdict: string;
}

export interface BarChart {
  series: {name: string; colour: number}[]; // what is compared; colour: index of Paint.designs
  groups: {name: string; summary: boolean; bars: (Bar | null)[]}[]; // workloads; bars by series
  unit(x: number): string;
  tick(x: number): string; // the same, short, for the axis
  paper: boolean; // there are numbers of a paper
}

export const verdictSigns: Record<string, string> = {
  reproduced: '\u2713',
  accepted: '\u2713',
  'same sign': '\u223c',
  'no effect': '=',
  '=': '=',
  opposite: '\u2717',
  missed: '\u2717',
  refused: '\u2717',
};
export const verdictGood = (v: string) => v === 'reproduced' || v === 'accepted';
export const verdictBad = (v: string) => v === 'opposite' || v === 'missed' || v === 'refused';

const rowHeight = 250,
  axisWidth = 52,
  groupGap = 18;

function extent(c: BarChart): [number, number] {
  const all = c.groups
    .flatMap(g => g.bars.flatMap(b => (b ? [b.ours, b.low, b.high, b.paper] : [])))
    .filter((x): x is number => x !== null);
  return [Math.min(0, min(all) ?? 0), Math.max(0, max(all) ?? 0) || 1];
}

interface Split {
  barWidth: number;
  rows: number[][]; // indexes of groups
  spare: number; // further room for each group
}

const presentIn = (c: BarChart, i: number) => c.groups[i]!.bars.filter(b => b !== null).length;

function roomOf(c: BarChart, i: number, barWidth: number): number {
  return Math.max(presentIn(c, i) * barWidth, Math.min(textWidth(c.groups[i]!.name, 12) + 6, 70));
}

const widestBar = 34,
  narrowestBar = 10;

// The widest bars with which all groups fit beside each other; if none do, several rows of the narrowest.
function split(c: BarChart, width: number): Split {
  const room = width - axisWidth;
  const total = (bar: number) => c.groups.reduce((sum, _, i) => sum + roomOf(c, i, bar) + groupGap, 0);
  let barWidth = widestBar;
  while (barWidth > narrowestBar && total(barWidth) > room) --barWidth;
  const rows: number[][] = [];
  let used = Infinity;
  c.groups.forEach((_, i) => {
    const w = roomOf(c, i, barWidth) + groupGap;
    if (used + w > room) {
      rows.push([]);
      used = 0;
    }
    rows[rows.length - 1]!.push(i);
    used += w;
  });
  return {
    barWidth,
    rows,
    spare: rows.length === 1 ? Math.max(0, Math.min(90, (room - total(barWidth)) / c.groups.length)) : 0,
  };
}

function tip(c: BarChart, series: string, group: string, b: Bar): string[] {
  const out = [`${group}: ${series}`];
  out.push(b.ours === null ? 'no number of ours' : `ours ${c.unit(b.ours)}`);
  if (b.low !== null && b.high !== null && b.low !== b.high) out.push(`range ${c.unit(b.low)} to ${c.unit(b.high)}`);
  if (b.paper !== null) out.push(`paper ${c.unit(b.paper)}`);
  if (b.verdict) out.push(b.verdict);
  return out;
}

function drawOne(
  b: Bar,
  x: number,
  w: number,
  y: (v: number) => number,
  fill: string,
  paint: Paint,
  lines: string[],
  row: number,
  column: number,
): SVGElement[] {
  const out: SVGElement[] = [],
    zero = y(0);
  const at = y(b.ours ?? 0),
    middle = x + w / 2;
  const top = Math.min(zero, at),
    height = Math.abs(zero - at);
  // A bar of nothing still has a mark, so that it can be reached; a number that only the paper has is reached at its line.
  const r =
    b.ours === null
      ? rect(x, y(b.paper ?? 0) - 6, w - 1.5, 12, 'transparent')
      : rect(x, height < 1.5 ? zero - 0.75 : top, w - 1.5, Math.max(1.5, height), fill);
  out.push(mark(r, lines, row, column));
  if (b.low !== null && b.high !== null && b.low !== b.high) {
    const m = middle - 0.75;
    out.push(
      s('path', {
        d: `M${m} ${y(b.low)}V${y(b.high)}M${m - 3} ${y(b.low)}h6M${m - 3} ${y(b.high)}h6`,
        stroke: paint.ink,
        'stroke-width': 1.2,
        fill: 'none',
        'pointer-events': 'none',
      }),
    );
  }
  if (b.paper !== null) {
    const py = y(b.paper);
    out.push(
      line(x - 0.5, py, x + w - 1, py, paint.background, {'stroke-width': 5, 'pointer-events': 'none'}),
      line(x - 0.5, py, x + w - 1, py, paint.paper, {'stroke-width': 2.5, 'pointer-events': 'none'}),
    );
  }
  const sign = verdictSigns[b.verdict];
  if (sign) {
    const highest = Math.min(zero, at, b.high === null ? zero : y(b.high), b.paper === null ? zero : y(b.paper));
    const colour = verdictGood(b.verdict) ? paint.good : verdictBad(b.verdict) ? paint.bad : paint.muted;
    out.push(
      text(middle - 0.75, highest - 6, sign, {
        'text-anchor': 'middle',
        'font-size': 12,
        'font-weight': 700,
        fill: colour,
        'pointer-events': 'none',
      }),
    );
  }
  return out;
}

function keysOf(c: BarChart, paint: Paint, fills: string[]): Key[] {
  const keys: Key[] = c.series.map((x, i) => ({name: x.name, fill: fills[i]!}));
  if (c.paper) keys.push({name: 'the paper', fill: paint.paper, tick: true});
  return keys;
}

export function drawBars(c: BarChart, paint: Paint, width: number): SVGSVGElement {
  const {barWidth, rows, spare} = split(c, width);
  const defs: SVGElement[] = [];
  const fills = c.series.map((x, i) => {
    const t = textured(paint.designs[x.colour % paint.designs.length]!, paint.background, i);
    if (t.defs) defs.push(t.defs);
    return t.fill;
  });
  const names = legend(keysOf(c, paint, fills), 0, 2, width, paint);
  const out: SVGElement[] = [s('defs', {}, ...defs), names.element];
  const top = names.height + 14;
  const y = scaleLinear()
    .domain(extent(c))
    .nice(5)
    .range([rowHeight - 40, 18]);
  rows.forEach((groups, r) => {
    const g = s('g', {transform: `translate(0 ${top + r * rowHeight})`});
    for (const t of y.ticks(5)) {
      g.append(
        line(axisWidth, y(t), width, y(t), t === 0 ? paint.muted : paint.grid),
        text(axisWidth - 8, y(t) + 4, c.tick(t), {'text-anchor': 'end', 'font-size': 11, fill: paint.muted}),
      );
    }
    let x = axisWidth + groupGap / 2 - 1;
    for (const i of groups) {
      const group = c.groups[i]!;
      const room = roomOf(c, i, barWidth) + spare;
      let bx = x + (room - presentIn(c, i) * barWidth) / 2;
      group.bars.forEach((b, k) => {
        if (!b) return;
        g.append(
          ...drawOne(b, bx, barWidth, y, fills[k]!, paint, tip(c, c.series[k]!.name, group.name, b), r, i * 100 + k),
        );
        bx += barWidth;
      });
      g.append(
        text(x + room / 2, rowHeight - 18, fit(group.name, 12, room + groupGap - 4), {
          'text-anchor': 'middle',
          'font-size': 12,
          'font-weight': group.summary ? 650 : 450,
        }),
      );
      x += room + groupGap;
    }
    out.push(g);
  });
  return canvas(width, top + rows.length * rowHeight, paint, ...out);
}

export function barsHeight(c: BarChart, width: number): number {
  return 34 + split(c, width).rows.length * rowHeight;
}
