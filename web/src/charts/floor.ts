// A mesh as it stands: routers in their grid, an arrow for every link, as dark and as wide as its load.
import type {LoadPoint, NocCurve} from '../data';
import {s, textWidth} from '../dom';
import {load, shortly, standing, stands, type Stand} from '../noc/loads';
import {mix, type Paint} from '../theme';
import {ramp} from './heat';
import {mark} from './marks';
import {canvas, legend, round, text, type Key} from './parts';

export interface FloorChart {
  curve: NocCurve;
  point: LoadPoint;
  high: number; // the end of the colours: flits per network cycle
}

const least = 9,
  widest = 92,
  tallest = 760; // of the grid, where cells stay large enough

function cellOf({width, height}: {width: number; height: number}, room: number): number {
  return Math.min(widest, (room - 4) / width, Math.max(24, tallest / height));
}

// Whether the links of a grid can be told apart.
export function floorFits(curve: NocCurve, width: number): boolean {
  return curve.floor !== undefined && cellOf(curve.floor, width) >= least;
}

export const loadText = (v: number) => v.toFixed(3);

type Role = 'both' | 'sends' | 'receives' | 'nothing';
const roleOf = (at: Stand): Role =>
  at.senders.length > 0
    ? at.receivers.length > 0
      ? 'both'
      : 'sends'
    : at.receivers.length > 0
      ? 'receives'
      : 'nothing';

// Around (0, 0), within `r` of it: square, circle, octagon; small where nobody stands.
function shape(role: Role, r: number): string {
  if (role === 'sends') return `M${-r} ${-r}H${r}V${r}H${-r}Z`;
  if (role === 'receives') return `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
  if (role === 'nothing') return `M0 ${-0.5 * r}L${0.5 * r} 0L0 ${0.5 * r}L${-0.5 * r} 0Z`;
  const c = 0.45 * r;
  return `M${-r} ${-c}L${-c} ${-r}H${c}L${r} ${-c}V${c}L${c} ${r}H${-c}L${-r} ${c}Z`;
}

function nameOf(curve: NocCurve, role: Role): string {
  if (role === 'nothing') return 'nothing';
  if (role === 'sends') return curve.senders;
  if (role === 'receives') return curve.receivers;
  return curve.senders === curve.receivers ? curve.senders : `${curve.senders} and ${curve.receivers}`;
}

const colourOfRole = (role: Role, paint: Paint) =>
  ({sends: paint.designs[1]!, receives: paint.designs[2]!, both: paint.designs[1]!, nothing: paint.designs[0]!})[role];

function keysOf(curve: NocCurve, all: Stand[], paint: Paint): Key[] {
  const there = new Set(all.map(roleOf));
  return (['sends', 'receives', 'both', 'nothing'] as Role[])
    .filter(role => there.has(role))
    .map(role => ({name: nameOf(curve, role), fill: colourOfRole(role, paint), shape: shape(role, 6), hollow: true}));
}

// An arrow from one router to its neighbour, on the right-hand side of the way.
function arrow(length: number, width: number): string {
  const head = Math.min(0.4 * length, 1.6 * width + 3),
    w = width / 2,
    wing = w + Math.min(2.2, 0.5 * width + 0.5);
  const p = (x: number, y: number) => `${round(x)} ${round(y)}`;
  return `M${p(0, -w)}L${p(length - head, -w)}L${p(length - head, -wing)}L${p(length, 0)}L${p(length - head, wing)}L${p(length - head, w)}L${p(0, w)}Z`;
}

function routerTip(c: FloorChart, router: number, at: Stand): string[] {
  const {curve, point} = c,
    {width} = curve.floor!;
  const arrived = at.receivers.reduce((sum, o) => sum + (point.output_flits[o] ?? 0), 0);
  const who = standing(curve, at);
  return [
    `router ${router}: ${who.length > 0 ? who.join(', ') : 'nothing stands here'}`,
    `column ${router % width}, row ${Math.floor(router / width)}`,
    ...(at.receivers.length > 0 ? [`${loadText(load(point, arrived))} flits per network cycle arrive here`] : []),
  ];
}

function drawRouters(c: FloorChart, all: Stand[], cell: number, paint: Paint): SVGElement[] {
  const {width} = c.curve.floor!,
    r = 0.27 * cell;
  const labels = all.map(at => standing(c.curve, at).map(shortly));
  const size = Math.min(12, 0.36 * r * 2);
  const fits = size >= 7.5 && labels.every(list => list.every(t => textWidth(t, size) < 1.9 * r));
  return all.flatMap((at, router) => {
    const x = ((router % width) + 0.5) * cell,
      y = (Math.floor(router / width) + 0.5) * cell,
      role = roleOf(at);
    const e = s('path', {
      d: shape(role, round(r)),
      transform: `translate(${round(x)} ${round(y)})`,
      fill: paint.background,
      stroke: colourOfRole(role, paint),
      'stroke-width': Math.max(1, Math.min(2, cell / 20)),
    });
    const lines = labels[router]!;
    return [
      mark(e, routerTip(c, router, at), 4 * Math.floor(router / width), 4 * (router % width)),
      ...(fits
        ? lines.map((t, i) =>
            text(x, y + size * (0.36 + i - (lines.length - 1) / 2), t, {
              'text-anchor': 'middle',
              'font-size': round(size),
              'pointer-events': 'none',
            }),
          )
        : []),
    ];
  });
}

function drawLinks(c: FloorChart, cell: number, paint: Paint): SVGElement[] {
  const {curve, point, high} = c,
    {width} = curve.floor!;
  const gap = 0.54 * cell + 2,
    length = Math.max(2, cell - gap);
  return curve.links.map((l, i) => {
    const [fx, fy] = [l.from % width, Math.floor(l.from / width)],
      [dx, dy] = [(l.to % width) - fx, Math.floor(l.to / width) - fy];
    const v = load(point, point.link_flits[i] ?? 0),
      t = Math.max(0, Math.min(1, v / high));
    const aside = 0.11 * cell;
    const x = (fx + 0.5) * cell + (dx * gap) / 2 - dy * aside,
      y = (fy + 0.5) * cell + (dy * gap) / 2 + dx * aside;
    const e = s('path', {
      d: arrow(length, cell * (0.025 + 0.1 * t)),
      transform: `translate(${round(x)} ${round(y)}) rotate(${dx > 0 ? 0 : dx < 0 ? 180 : dy > 0 ? 90 : -90})`,
      fill: mix(paint.ramp[0], paint.ramp[1], t),
      stroke: paint.flow,
      'stroke-width': 0.8,
      'stroke-linejoin': 'round',
    });
    // Beside the router that it leaves, east and south before what comes back.
    const row = dy === 0 ? 4 * fy : dy > 0 ? 4 * fy + 1 : 4 * fy - 2,
      column = dx === 0 ? 4 * fx : dx > 0 ? 4 * fx + 1 : 4 * fx - 2;
    return mark(e, [`${l.name}, to router ${l.to}`, `${loadText(v)} flits per network cycle`], row, column);
  });
}

export function drawFloor(c: FloorChart, paint: Paint, width: number): SVGSVGElement {
  const {curve} = c,
    floor = curve.floor!,
    cell = cellOf(floor, width),
    all = stands(curve);
  const names = legend(keysOf(curve, all, paint), 0, 28, width, paint);
  const top = 34 + names.height;
  return canvas(
    width,
    top + cell * floor.height + 2,
    paint,
    ...ramp({low: 0, high: c.high, text: loadText}, width, paint),
    names.element,
    s(
      'g',
      {transform: `translate(${round((width - cell * floor.width) / 2)} ${top})`},
      ...drawRouters(c, all, cell, paint),
      ...drawLinks(c, cell, paint),
    ),
  );
}

export function floorHeight(curve: NocCurve, width: number): number {
  return 56 + cellOf(curve.floor!, width) * curve.floor!.height;
}
