// A list of names with a bar each, most first.
import {fit, textWidth} from '../dom';
import type {Paint} from '../theme';
import {mark} from './marks';
import {canvas, rect, text} from './parts';

export interface Ranks {
  items: {name: string; value: number; tip: string[]}[];
  high: number; // the length of the longest bar; it may be of another list
  text(v: number): string;
}

const rowHeight = 22;

export const ranksHeight = (r: Ranks) => Math.max(1, r.items.length) * rowHeight + 6;

export function drawRanks(r: Ranks, paint: Paint, width: number): SVGSVGElement {
  const names = Math.min(0.4 * width, Math.max(0, ...r.items.map(i => textWidth(i.name, 12))) + 10);
  const numbers = Math.max(0, ...r.items.map(i => textWidth(r.text(i.value), 11))) + 8;
  const room = Math.max(10, Math.min(720, width - names - numbers));
  return canvas(
    width,
    ranksHeight(r),
    paint,
    ...r.items.flatMap((item, i) => {
      const y = 3 + i * rowHeight,
        length = r.high > 0 ? (room * item.value) / r.high : 0;
      return [
        text(names - 8, y + 14, fit(item.name, 12, names - 10), {'text-anchor': 'end'}),
        mark(rect(names, y + 2, Math.max(1.5, length), rowHeight - 6, paint.designs[1]!), item.tip, i, 0),
        text(names + Math.max(1.5, length) + 6, y + 14, r.text(item.value), {'font-size': 11, fill: paint.muted}),
      ];
    }),
  );
}
