// All statistics of the chosen designs side by side; kernels; and all runs of the data.
import type {App} from '../app';
import type {Run} from '../data';
import {h, type Child} from '../dom';
import {change, count, none, value} from '../format';
import {designName} from '../model';
import {table, type Column} from './table';

interface StatRow {
  index: number;
  name: string;
  unit: string;
  about: string;
}

export interface StatsState {
  differing: boolean;
}

function statTable(app: App, state: StatsState): HTMLElement {
  const entries = app.entries,
    base = entries[0]!;
  const at = (row: StatRow, run: Run) => run.stats[row.index] ?? null;
  let rows: StatRow[] = app.model.data.statistics.map((s, index) => ({index, ...s}));
  if (state.differing) rows = rows.filter(r => entries.some(e => at(r, e.run) !== at(r, base.run)));
  const columns: Column<StatRow>[] = [
    {
      name: 'statistic',
      value: r => r.name,
      show: r => [h('code', {class: 'breaks'}, r.name), h('div', {class: 'small-text'}, r.about)],
    },
  ];
  for (const e of entries) {
    columns.push({
      name: e.design,
      number: true,
      value: r => at(r, e.run),
      show: r => {
        const v = at(r, e.run),
          b = at(r, base.run);
        const delta =
          e !== base && v !== null && b !== null && b !== 0 && v !== b
            ? h('div', {class: 'small-text'}, change(v / b - 1))
            : null;
        return [value(v), delta];
      },
    });
  }
  columns.push({name: 'unit', value: r => r.unit || none});
  return table({
    id: 'statistics',
    label: 'Statistics',
    columns,
    rows,
    filter: 'Filter by name, unit or description',
    matches: r => `${r.name} ${r.unit} ${r.about}`,
    page: 40,
  });
}

export function statsSection(app: App, state: StatsState): Child {
  const c = app.case;
  if (!c) return null;
  const place = h('div', {});
  const put = () => place.replaceChildren(statTable(app, state));
  put();
  const only = h(
    'label',
    {},
    h('input', {
      type: 'checkbox',
      id: 'differing',
      checked: state.differing,
      onchange: (e: Event) => {
        state.differing = (e.target as HTMLInputElement).checked;
        put();
      },
    }),
    ' only what differs between the designs',
  );
  return [app.entries.length > 1 ? only : null, place, kernelTable(app)];
}

function kernelTable(app: App): Child {
  const rows = app.entries.flatMap(e => (e.run.kernels ?? []).map(k => ({design: e.design, ...k})));
  if (rows.length === 0) return null;
  return [
    h('h3', {}, 'Kernels'),
    table({
      id: 'kernels',
      label: 'Kernels',
      rows,
      page: 20,
      columns: [
        {name: 'kernel', value: r => r.name, show: r => h('code', {class: 'breaks'}, r.name)},
        {name: 'design', value: r => r.design},
        {name: 'launches', number: true, value: r => r.launches, show: r => count(r.launches)},
        {name: 'cycles', number: true, value: r => r.cycles, show: r => count(r.cycles)},
        {name: 'warp instructions', number: true, value: r => r.instructions, show: r => count(r.instructions)},
      ],
    }),
  ];
}

export function runsSection(app: App): Child {
  const {model} = app;
  return table<Run>({
    id: 'runs',
    label: 'All runs',
    rows: model.data.runs,
    filter: 'Filter by workload, design, machine, ...',
    page: 25,
    matches: r =>
      `${r.workload} ${r.short} ${r.suite} ${r.scale} ${designName(r)} ${r.perturbation} ${r.machine} ${r.study} ${r.id}`,
    columns: [
      {name: 'workload', value: r => r.workload},
      {name: 'scale', value: r => r.scale},
      {name: 'design', value: r => designName(r)},
      {name: 'perturbation', value: r => r.perturbation || null, show: r => r.perturbation || none},
      {name: 'machine', value: r => r.machine},
      {
        name: 'cycles',
        number: true,
        value: r => model.stat(r, 'gpu.cycles'),
        show: r => count(model.stat(r, 'gpu.cycles')),
      },
      {
        name: 'warp instructions',
        number: true,
        value: r => model.stat(r, 'sm.instructions'),
        show: r => count(model.stat(r, 'sm.instructions')),
      },
      {
        name: 'result',
        value: r => result(r),
        show: r =>
          h(
            'span',
            {class: r.verified ? 'verdict-good' : r.compared === 0 && r.complete ? '' : 'verdict-bad'},
            result(r),
          ),
      },
      {name: 'finished', value: r => r.finished},
    ],
  });
}

function result(r: Run): string {
  if (!r.complete) return 'stopped early';
  return r.verified ? 'verified' : r.compared === 0 ? 'nothing to compare with' : 'not verified';
}
