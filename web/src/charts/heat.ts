// A heat map: a grid of numbers as colours, one panel per design, all on one scale.
import {fit, s, textWidth} from '../dom';
import {contrast, mix, type Paint} from '../theme';
import {mark} from './marks';
import {canvas, rect, text} from './parts';

export interface HeatPanel {
  name: string;
  cells: (number | null)[][];
  tip(row: number, column: number): string[];
}

export interface HeatMap {
  rowName: string;
  columnName: string;
  rows: number;
  columns: number;
  panels: HeatPanel[];
  low: number; // the ends of the scale
  high: number;
  text(v: number): string;
}

const gap = 26,
  headroom = 40,
  leftroom = 26;

interface Fit {
  perRow: number;
  width: number; // of a panel
  cell: number;
  height: number; // of a cell
}

function fitting(m: HeatMap, width: number): Fit {
  const perRow = Math.max(
    1,
    Math.min(m.panels.length, Math.floor((width + gap) / (Math.max(230, m.columns * 13 + leftroom) + gap))),
  );
  const one = Math.min(520, (width - gap * (perRow - 1)) / perRow);
  const cell = (one - leftroom) / m.columns;
  return {perRow, width: one, cell, height: Math.max(11, Math.min(22, cell * 0.8))};
}

const panelHeight = (m: HeatMap, f: Fit) => headroom + m.rows * f.height + 18;

// All cells have their number, or none.
function labelled(m: HeatMap, f: Fit): boolean {
  return (
    f.height >= 13 &&
    m.panels.every(p => p.cells.every(row => row.every(v => v === null || textWidth(m.text(v), 9.5) + 2 < f.cell)))
  );
}

function drawPanel(
  m: HeatMap,
  p: HeatPanel,
  x: number,
  y: number,
  f: Fit,
  paint: Paint,
  row: number,
  column: number,
): SVGElement[] {
  const out: SVGElement[] = [
    text(x, y + 12, fit(p.name, 12.5, f.width), {'font-size': 12.5, 'font-weight': 600}),
    text(x + leftroom, y + headroom - 6, `${m.columnName} \u2192   ${m.rowName} \u2193`, {
      'font-size': 10.5,
      fill: paint.muted,
    }),
  ];
  const every = Math.max(1, Math.ceil(m.rows / 8)),
    labels = labelled(m, f);
  for (let r = 0; r < m.rows; ++r) {
    if (r % every === 0)
      out.push(
        text(x + leftroom - 6, y + headroom + (r + 0.5) * f.height + 4, String(r), {
          'font-size': 10.5,
          'text-anchor': 'end',
          fill: paint.muted,
        }),
      );
    for (let c = 0; c < m.columns; ++c) {
      const v = p.cells[r]?.[c] ?? null;
      const t = v === null || m.high === m.low ? 0 : Math.max(0, Math.min(1, (v - m.low) / (m.high - m.low)));
      const fill = v === null ? paint.background : mix(paint.ramp[0], paint.ramp[1], t);
      const cx = x + leftroom + c * f.cell,
        cy = y + headroom + r * f.height;
      out.push(
        mark(
          rect(cx + 0.5, cy + 0.5, f.cell - 1, f.height - 1, fill, v === null ? {stroke: paint.grid} : {}),
          p.tip(r, c),
          row * 1000 + r,
          column * 1000 + c,
        ),
      );
      const label = v === null ? '' : m.text(v);
      if (label && labels) {
        const ink = contrast(fill, '#000000') >= contrast(fill, '#ffffff') ? '#000000' : '#ffffff'; // one of them has 4.5 on any colour
        out.push(
          text(cx + f.cell / 2, cy + f.height / 2 + 3.5, label, {
            'font-size': 9.5,
            'text-anchor': 'middle',
            fill: ink,
            'pointer-events': 'none',
          }),
        );
      }
    }
  }
  return out;
}

let ramps = 0;

// The key of the colours, at the top of a drawing; 20 high.
export function ramp(m: Pick<HeatMap, 'low' | 'high' | 'text'>, width: number, paint: Paint): SVGElement[] {
  const id = `ramp-${++ramps}`,
    w = Math.min(200, width - 130);
  const low = m.text(m.low),
    x = textWidth(low, 11) + 8;
  return [
    s(
      'defs',
      {},
      s(
        'linearGradient',
        {id},
        s('stop', {offset: 0, 'stop-color': paint.ramp[0]}),
        s('stop', {offset: 1, 'stop-color': paint.ramp[1]}),
      ),
    ),
    text(0, 14, low, {'font-size': 11, fill: paint.muted}),
    rect(x, 5, w, 10, `url(#${id})`, {stroke: paint.grid}),
    text(x + w + 8, 14, m.text(m.high), {'font-size': 11, fill: paint.muted}),
  ];
}

export function drawHeat(m: HeatMap, paint: Paint, width: number): SVGSVGElement {
  const f = fitting(m, width),
    each = panelHeight(m, f);
  const out = ramp(m, width, paint);
  m.panels.forEach((p, i) => {
    const row = Math.floor(i / f.perRow),
      column = i % f.perRow;
    out.push(...drawPanel(m, p, column * (f.width + gap), 28 + row * each, f, paint, row, column));
  });
  return canvas(width, 28 + Math.ceil(m.panels.length / f.perRow) * each, paint, ...out);
}

export function heatHeight(m: HeatMap, width: number): number {
  const f = fitting(m, width);
  return 28 + Math.ceil(m.panels.length / f.perRow) * panelHeight(m, f);
}
