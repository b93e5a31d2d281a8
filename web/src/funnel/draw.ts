// The funnel as a picture: one column per design, one bar per place, what goes on flows down to the next.
import {hatch, legend, line, partFill, rect, canvas, round, text, type Key} from '../charts/parts';
import {mark} from '../charts/marks';
import {fit, s, textWidth, wrapped} from '../dom';
import {change, count, share} from '../format';
import type {Paint} from '../theme';
import {between, layout, parts, type Column, type PlaceBar} from './layout';
import {capital, measured, noteOf, scaleNote, tipOf, type Drawn, type Picture} from './texts';

const barHeight = 26,
  labelStep = 16,
  gap = 24,
  minColumn = 176,
  headHeight = 104,
  endHeight = 52;

interface Frame {
  gutter: number;
  column: number;
  perRow: number;
  notes: number; // lines between lanes and the first place
  labels: number[]; // lines of labels, by place
  tops: number[]; // of each place's bar, within a block
  block: number; // height
}

interface Style {
  paint: Paint;
  fills: Map<string, string>;
  left: string;
}

interface Label {
  name: string;
  fill: string;
  stroke?: string;
}

function labelsOf(bar: PlaceBar, style: Style): Label[] {
  const out: Label[] = [];
  const of = (n: number) => share(bar.in > 0 ? n / bar.in : 0);
  for (const g of bar.segments) {
    if (g.kind === 'removed') out.push({name: `${g.by} ${of(g.count)}`, fill: style.fills.get(g.by)!});
    if (g.kind === 'added') out.push({name: `${g.by} +${of(g.count)}`, fill: style.fills.get(g.by)!});
  }
  for (const g of bar.segments) {
    if (g.kind === 'left')
      out.push({name: `could still merge ${of(g.count)}`, fill: style.left, stroke: style.paint.could});
  }
  return out;
}

// Labels of a bar in lines.
function wrap(labels: Label[], width: number): Label[][] {
  const lines: Label[][] = [];
  let used = Infinity;
  for (const l of labels) {
    const w = 15 + textWidth(l.name, 11.5) + 12;
    if (used + w - 12 > width) {
      lines.push([]);
      used = 0;
    }
    lines[lines.length - 1]!.push(l);
    used += w;
  }
  return lines;
}

function frame(p: Picture, columns: Column[], width: number, style: Style): Frame {
  const gutter = width >= 820 ? 150 : 0;
  const room = width - gutter;
  const perRow = Math.max(1, Math.min(columns.length, Math.floor((room + gap) / (minColumn + gap))));
  const column = Math.min(460, (room - gap * (perRow - 1)) / perRow);
  const labels = p.places.map((_, i) =>
    Math.max(1, ...columns.map(c => wrap(labelsOf(c.bars[i]!, style), column).length)),
  );
  const tops: number[] = [];
  const notes = Math.max(0, ...p.designs.map(d => noteOf(p, d, column).length));
  let y = headHeight + notes * 15;
  p.places.forEach((_, i) => {
    y += gutter > 0 ? 22 : 40;
    tops.push(y);
    y += barHeight + 8 + labels[i]! * labelStep + 16;
  });
  return {gutter, column, perRow, notes, labels, tops, block: y + endHeight};
}

// Against the baseline; nothing that could be taken for a change where there is none.
function difference(now: number, before: number): string {
  return now === before ? 'same' : change(now / before - 1);
}

function ribbon(x: number, y0: number, y1: number, from: number, until: number, paint: Paint): SVGElement {
  const bend = (y1 - y0) * 0.5;
  return s('path', {
    fill: paint.ribbon,
    d: `M${round(x)} ${y0}H${round(x + from)}C${round(x + from)} ${round(y0 + bend)} ${round(x + until)} ${round(y1 - bend)} ${round(x + until)} ${y1}H${round(x)}Z`,
  });
}

// Lanes: many more than anything below, so their bar is cut off, and says so.
function head(
  p: Picture,
  d: Drawn,
  c: Column,
  x: number,
  top: number,
  f: Frame,
  paint: Paint,
  row: number,
  at: number,
): SVGElement[] {
  const first = p.places[0]!,
    y = top + 52,
    w = f.column;
  const teeth = [0, 1, 2, 3, 4]
    .map(i => `${round(x + w - (i % 2 === 0 ? 0 : 6))} ${y + (barHeight / 4) * i}`)
    .join('L');
  const lanes = p.levels[0]!;
  const each = c.above / Math.max(1, d.funnel.count[first.in]!);
  const bar = mark(
    s('path', {d: `M${round(x)} ${y}L${teeth}L${round(x)} ${y + barHeight}Z`, fill: paint.ribbon, stroke: paint.flow}),
    [
      `${d.design}: ${lanes.name}`,
      `${count(c.above)} ${lanes.unit}`,
      `${round(each)} for each of the ${count(d.funnel.count[first.in]!)} ${p.levels[first.in]!.name}`,
      'This bar is not to scale.',
    ],
    row,
    at,
  );
  return [
    text(x, top + 14, fit(d.design, 15, w), {'font-size': 15, 'font-weight': 650}),
    text(x, top + 33, fit(d.headline, 12, w), {'font-size': 12, fill: paint.muted}),
    ribbon(x, y + barHeight, top + f.tops[0]!, w * 0.98, c.bars[0]!.length * w, paint),
    bar,
    text(x + 8, y + 17.5, `${count(c.above)} ${lanes.name}`, {
      'font-size': 12.5,
      'font-weight': 600,
      'pointer-events': 'none',
    }),
    ...noteOf(p, d, w).map((l, i) =>
      text(x + 8, y + barHeight + 19 + i * 15, l, {'font-size': 11.5, fill: paint.muted, 'pointer-events': 'none'}),
    ),
  ];
}

// A number and what it counts, in one text: no font can push them into each other.
function counted(x: number, y: number, number: string, what: string, paint: Paint): SVGElement {
  const e = text(x, y, '', {'font-size': 12, fill: paint.muted});
  e.append(s('tspan', {'font-size': 13.5, 'font-weight': 650, fill: paint.ink}, number), s('tspan', {dx: 5}, what));
  return e;
}

function drawBar(
  p: Picture,
  d: Drawn,
  base: Drawn,
  bar: PlaceBar,
  x: number,
  y: number,
  f: Frame,
  style: Style,
  row: number,
  at: number,
): SVGElement[] {
  const {paint} = style,
    w = f.column,
    out: SVGElement[] = [];
  if (f.gutter === 0) out.push(text(x, y - 25, fit(bar.place.name, 12, w), {'font-size': 12, 'font-weight': 600}));
  const number = count(bar.in);
  const delta =
    d === base || base.funnel.count[bar.place.in]! === 0 ? '' : difference(bar.in, base.funnel.count[bar.place.in]!);
  const room = w - textWidth(number, 13.5) - 10 - (delta ? textWidth(delta, 12) + 8 : 0);
  out.push(counted(x, y - 8, number, fit(p.levels[bar.place.in]!.name, 12, room), paint));
  if (delta) out.push(text(x + w, y - 8, delta, {'font-size': 12, 'text-anchor': 'end', fill: paint.muted}));
  if (bar.reference !== null) {
    out.push(
      line(x + bar.reference * w, y - 4, x + bar.reference * w, y + barHeight + 4, paint.ink, {
        'stroke-dasharray': '2 2',
      }),
    );
  }
  bar.segments.forEach((g, i) => {
    const from = x + g.from * w,
      until = x + g.until * w;
    const fill = g.kind === 'on' ? paint.flow : g.kind === 'left' ? style.left : style.fills.get(g.by)!;
    const inset = g.kind === 'removed' || g.kind === 'added' ? 1 : 0; // a seam of background before what ends here
    const r = rect(
      from + inset,
      y,
      Math.max(1.2, until - from - inset),
      barHeight,
      fill,
      g.kind === 'left' ? {stroke: paint.could, 'stroke-width': 0.8} : {},
    );
    out.push(mark(r, tipOf(p, d, base, bar, g), row, at + i));
  });
  wrap(labelsOf(bar, style), w).forEach((labels, n) => {
    let lx = x;
    const ly = y + barHeight + 8 + n * labelStep;
    for (const l of labels) {
      out.push(
        rect(lx, ly + 1, 9, 9, l.fill, {stroke: l.stroke ?? null}),
        text(lx + 14, ly + 9.5, fit(l.name, 11.5, w - 14), {'font-size': 11.5}),
      );
      lx += 15 + textWidth(l.name, 11.5) + 12;
    }
  });
  return out;
}

function drawColumn(
  p: Picture,
  index: number,
  c: Column,
  x: number,
  top: number,
  f: Frame,
  style: Style,
  block: number,
): SVGElement[] {
  const d = p.designs[index]!,
    base = p.designs[0]!,
    {paint} = style,
    w = f.column;
  const behind: SVGElement[] = [],
    front: SVGElement[] = [];
  front.push(...head(p, d, c, x, top, f, paint, block * 100, index * 20));
  c.bars.forEach((bar, i) => {
    const y = top + f.tops[i]!,
      next = c.bars[i + 1];
    const end = next ? top + f.tops[i + 1]! : top + f.block - 46;
    behind.push(
      ribbon(
        x,
        y + barHeight,
        end,
        bar.onUntil * w,
        (next ? (next.segments.length > 0 ? next.length : 0) : bar.onUntil) * w,
        paint,
      ),
    );
    front.push(...drawBar(p, d, base, bar, x, y, f, style, block * 100 + i + 1, index * 20));
    if (!next) return;
    const what = between(p.levels, d.funnel, bar.place.out, next.place.in);
    if (what)
      front.push(
        text(x, y + barHeight + 8 + f.labels[i]! * labelStep + 10, fit(what, 11.5, w), {
          'font-size': 11.5,
          fill: paint.muted,
        }),
      );
  });
  const last = p.places[p.places.length - 1]!;
  const y = top + f.block - 46;
  front.push(line(x, y, x + Math.max(2, c.bars[c.bars.length - 1]!.onUntil * w), y, paint.flow, {'stroke-width': 3}));
  front.push(counted(x, y + 18, count(c.end), fit(p.levels[last.out]!.name, 12, w - 60), paint));
  return [...behind, ...front];
}

// Names of places beside the bars, where there is room.
function gutterTexts(p: Picture, f: Frame, top: number, paint: Paint): SVGElement[] {
  if (f.gutter === 0) return [];
  return p.places.flatMap((place, i) => {
    const lines = wrapped(capital(place.name), 12.5, f.gutter - 16);
    return lines.map((l, n) =>
      text(0, top + f.tops[i]! + 17 + n * 16 - (lines.length - 1) * 8, l, {
        'font-size': 12.5,
        'font-weight': 600,
        fill: paint.ink,
      }),
    );
  });
}

export function drawFunnel(p: Picture, paint: Paint, width: number): SVGSVGElement {
  const columns = layout(
    p.levels,
    p.places,
    p.designs.map(d => d.funnel),
    p.designs[0]!.funnel,
    p.scale,
  );
  const left = hatch(paint.could, paint.background);
  const defs: SVGElement[] = [left.defs];
  const fills = new Map<string, string>();
  const keys: Key[] = [{name: 'goes on', fill: paint.flow}];
  if (measured(p))
    keys.push({name: 'goes on, could still have been merged here', fill: left.fill, stroke: paint.could});
  parts(
    p.places,
    p.designs.map(d => d.funnel),
  ).forEach(({name, colour}) => {
    const t = partFill(colour, paint);
    if (t.defs) defs.push(t.defs);
    fills.set(name, t.fill);
    keys.push({name, fill: t.fill});
  });
  const style: Style = {paint, fills, left: left.fill};
  const f = frame(p, columns, width, style);
  const names = legend(keys, 0, 4, width, paint);
  const blocks = Math.ceil(columns.length / f.perRow);
  const top = names.height + 22;
  const note = wrapped(scaleNote(p), 11.5, width);
  const height = top + blocks * (f.block + 24) - 20 + 16 * note.length;
  const out: SVGElement[] = [s('defs', {}, ...defs), names.element];
  for (let b = 0; b < blocks; ++b) {
    const y = top + b * (f.block + 24);
    out.push(...gutterTexts(p, f, y, paint));
    columns.slice(b * f.perRow, (b + 1) * f.perRow).forEach((c, i) => {
      out.push(s('g', {}, ...drawColumn(p, b * f.perRow + i, c, f.gutter + i * (f.column + gap), y, f, style, b)));
    });
  }
  note.forEach((l, i) =>
    out.push(text(0, height - 6 - 16 * (note.length - 1 - i), l, {'font-size': 11.5, fill: paint.muted})),
  );
  return canvas(width, height, paint, ...out);
}

export function funnelHeight(designs: number, width: number): number {
  const perRow = Math.max(1, Math.floor(width / (minColumn + gap)));
  return Math.ceil(designs / perRow) * 640;
}
