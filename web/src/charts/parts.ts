// Pieces that several charts draw.
import {s, textWidth, type Attributes, type Child} from '../dom';
import {chartFont, type Paint} from '../theme';

export function canvas(width: number, height: number, paint: Paint, ...children: Child[]): SVGSVGElement {
  return s(
    'svg',
    {viewBox: `0 0 ${width} ${height}`, width, height, 'font-family': chartFont, 'font-size': 12, fill: paint.ink},
    s('rect', {width, height, fill: paint.background}),
    ...children,
  );
}

export function text(x: number, y: number, content: string, attributes: Attributes = {}): SVGTextElement {
  return s('text', {x: round(x), y: round(y), ...attributes}, content);
}

export const round = (x: number) => Math.round(x * 100) / 100;

export function line(
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  stroke: string,
  attributes: Attributes = {},
): SVGLineElement {
  return s('line', {x1: round(x1), y1: round(y1), x2: round(x2), y2: round(y2), stroke, ...attributes});
}

export function rect(
  x: number,
  y: number,
  width: number,
  height: number,
  fill: string,
  attributes: Attributes = {},
): SVGRectElement {
  return s('rect', {
    x: round(x),
    y: round(y),
    width: round(Math.max(0, width)),
    height: round(Math.max(0, height)),
    fill,
    ...attributes,
  });
}

let patterns = 0;

// Diagonal lines. Every drawing has its own, because a saved drawing stands alone.
export function hatch(colour: string, background: string): {defs: SVGElement; fill: string} {
  const id = `hatch-${++patterns}`;
  const defs = s(
    'pattern',
    {id, width: 6, height: 6, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)'},
    s('rect', {width: 6, height: 6, fill: background}),
    s('rect', {width: 2.2, height: 6, fill: colour}),
  );
  return {defs, fill: `url(#${id})`};
}

// A texture over a colour, by index; the first is plain.
export function textured(colour: string, over: string, index: number): {defs: SVGElement | null; fill: string} {
  const kind = index % 4;
  if (kind === 0) return {defs: null, fill: colour};
  const id = `texture-${++patterns}`;
  const ink = {fill: over, 'fill-opacity': 0.34};
  const motif =
    kind === 1
      ? s('circle', {cx: 3, cy: 3, r: 1, ...ink})
      : kind === 2
        ? s('rect', {width: 6, height: 1.4, ...ink})
        : s('rect', {width: 1.4, height: 6, ...ink});
  return {
    defs: s(
      'pattern',
      {id, width: 6, height: 6, patternUnits: 'userSpaceOnUse'},
      s('rect', {width: 6, height: 6, fill: colour}),
      motif,
    ),
    fill: `url(#${id})`,
  };
}

// Of a part, by its number; every other one has a texture.
export function partFill(index: number, paint: Paint): {defs: SVGElement | null; fill: string} {
  const texture = index % 2 === 0 ? 0 : 1 + ((index >> 1) % 3);
  return textured(paint.parts[index % paint.parts.length]!, paint.background, texture);
}

export interface Key {
  name: string;
  fill: string;
  stroke?: string;
  dash?: string; // of a line; none: a square
  tick?: boolean; // the mark of the paper
  shape?: string; // a path around (0, 0), on the line or in place of the square
  hollow?: boolean; // of the shape
}

// Names with their colours, in as many lines as the width asks for. Returns its height.
export function legend(
  keys: Key[],
  x: number,
  y: number,
  width: number,
  paint: Paint,
  size = 12,
): {element: SVGGElement; height: number} {
  const g = s('g', {});
  let at = x,
    row = 0;
  const step = 20;
  for (const k of keys) {
    const sign = k.dash !== undefined ? 26 : 14;
    const w = sign + 6 + textWidth(k.name, size) + 18;
    if (at > x && at + w - 18 > x + width) [at, row] = [x, row + 1];
    const top = y + row * step;
    if (k.tick) g.append(line(at, top + 6, at + 12, top + 6, k.fill, {'stroke-width': 2.5}));
    else if (k.dash !== undefined)
      g.append(line(at, top + 6, at + 24, top + 6, k.fill, {'stroke-width': 2, 'stroke-dasharray': k.dash || null}));
    else if (!k.shape) g.append(rect(at, top, 12, 12, k.fill, {stroke: k.stroke ?? null}));
    if (k.shape)
      g.append(
        s('path', {
          d: k.shape,
          transform: `translate(${round(at + sign / 2 - 1)} ${round(top + 6)})`,
          fill: k.hollow ? paint.background : k.fill,
          stroke: k.fill,
          'stroke-width': 1.5,
        }),
      );
    g.append(text(at + sign + 4, top + 10.5, k.name, {'font-size': size, fill: paint.ink}));
    at += w;
  }
  return {element: g, height: keys.length > 0 ? (row + 1) * step : 0};
}
