// Where in the machine: traffic between clusters and partitions, row hits by DRAM bank.
import type {App} from '../app';
import {chart, type ChartSpec} from '../charts/chart';
import {drawHeat, heatHeight, type HeatMap, type HeatPanel} from '../charts/heat';
import type {Grid} from '../data';
import {h, type Child} from '../dom';
import {brief, count, share, slug} from '../format';
import type {Case, Entry} from '../model';

export type Direction = 'requests' | 'replies';

export interface WhereState {
  direction: Direction;
}

function most(panels: HeatPanel[]): number {
  return Math.max(1, ...panels.flatMap(p => p.cells.flatMap(row => row.map(v => v ?? 0))));
}

function gridOf(entries: Entry[], pick: (e: Entry) => Grid | undefined): Grid | null {
  for (const e of entries) {
    const g = pick(e);
    if (g && g.rows > 0 && g.columns > 0) return g;
  }
  return null;
}

export function trafficMap(entries: Entry[], direction: Direction): HeatMap | null {
  const shown = entries.filter(e => e.run.detail?.traffic),
    grid = gridOf(shown, e => e.run.detail?.traffic);
  if (!grid) return null;
  const panels = shown.map((e): HeatPanel => {
    const t = e.run.detail!.traffic!;
    return {
      name: e.design,
      cells: t[direction],
      tip: (r, c) => [
        `${e.design}: ${t.row_name} ${r}, ${t.column_name} ${c}`,
        `${count(t.requests[r]?.[c])} requests`,
        `${count(t.replies[r]?.[c])} replies`,
      ],
    };
  });
  return {
    rowName: grid.row_name,
    columnName: grid.column_name,
    rows: Math.max(...shown.map(e => e.run.detail!.traffic!.rows)),
    columns: Math.max(...shown.map(e => e.run.detail!.traffic!.columns)),
    panels,
    low: 0,
    high: most(panels),
    text: brief,
  };
}

export function bankMap(entries: Entry[]): HeatMap | null {
  const shown = entries.filter(e => e.run.detail?.banks),
    grid = gridOf(shown, e => e.run.detail?.banks);
  if (!grid) return null;
  const panels = shown.map((e): HeatPanel => {
    const b = e.run.detail!.banks!;
    const rate = (r: number, c: number) => (b.accesses[r]?.[c] ? b.hits[r]![c]! / b.accesses[r]![c]! : null);
    return {
      name: e.design,
      cells: b.accesses.map((row, r) => row.map((_, c) => rate(r, c))),
      tip: (r, c) => [
        `${e.design}: ${b.row_name} ${r}, ${b.column_name} ${c}`,
        `${share(rate(r, c))} row hits`,
        `${count(b.hits[r]?.[c])} of ${count(b.accesses[r]?.[c])} accesses`,
      ],
    };
  });
  const rates = panels.flatMap(p => p.cells.flat()).filter((v): v is number => v !== null);
  return {
    rowName: grid.row_name,
    columnName: grid.column_name,
    rows: Math.max(...shown.map(e => e.run.detail!.banks!.rows)),
    columns: Math.max(...shown.map(e => e.run.detail!.banks!.columns)),
    panels,
    low: Math.min(1, ...rates),
    high: Math.max(0, ...rates),
    text: v => share(v, 0),
  };
}

export function trafficSpec(c: Case, entries: Entry[], state: WhereState): ChartSpec | null {
  if (!trafficMap(entries, state.direction)) return null;
  const map = () => trafficMap(entries, state.direction)!;
  const {rowName, columnName} = map();
  return {
    name: slug(`traffic ${c.label}`),
    title: `Traffic by ${rowName} and ${columnName}`,
    note: 'Packets over the whole run. All designs have one colour scale.',
    draw: (paint, width) => drawHeat(map(), paint, width),
    height: width => heatHeight(map(), width),
    rows: () => [
      ['design', rowName, columnName, 'requests', 'replies'],
      ...entries.flatMap(e =>
        (e.run.detail?.traffic?.requests ?? []).flatMap((row, r) =>
          row.map((n, k) => [e.design, r, k, n, e.run.detail!.traffic!.replies[r]?.[k]]),
        ),
      ),
    ],
  };
}

export function bankSpec(c: Case, entries: Entry[]): ChartSpec | null {
  const map = bankMap(entries);
  if (!map) return null;
  return {
    name: slug(`banks ${c.label}`),
    title: 'DRAM row hits by bank',
    note: 'Share of the accesses of each bank that found their row open. The scale begins at the lowest share, not at zero.',
    draw: (paint, width) => drawHeat(map, paint, width),
    height: width => heatHeight(map, width),
    rows: () => [
      ['design', map.rowName, map.columnName, 'hits', 'accesses'],
      ...entries.flatMap(e =>
        (e.run.detail?.banks?.accesses ?? []).flatMap((row, r) =>
          row.map((n, k) => [e.design, r, k, e.run.detail!.banks!.hits[r]?.[k], n]),
        ),
      ),
    ],
  };
}

export function whereSection(app: App, state: WhereState): Child {
  const c = app.case;
  if (!c) return null;
  const traffic = trafficSpec(c, app.entries, state),
    banks = bankSpec(c, app.entries);
  if (!traffic && !banks) return h('p', {class: 'empty'}, 'No detail of places was kept with these runs.');
  const choice = h(
    'fieldset',
    {class: 'switch'},
    h('legend', {}, 'Packets'),
    (['requests', 'replies'] as Direction[]).map(d =>
      h(
        'label',
        {},
        h('input', {
          type: 'radio',
          name: 'direction',
          id: `direction-${d}`,
          checked: state.direction === d,
          onchange: () => {
            state.direction = d;
            made?.redraw();
          },
        }),
        h('span', {}, d),
      ),
    ),
  );
  const made = traffic ? chart(traffic, {controls: choice}) : null;
  return [made?.element, banks ? chart(banks).element : null];
}
