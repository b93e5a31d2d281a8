// Figures of a study: bars beside the paper's numbers, and the same as a table.
import {barsHeight, drawBars, verdictBad, verdictGood, verdictSigns, type Bar, type BarChart} from '../charts/bars';
import {chart, type ChartSpec} from '../charts/chart';
import type {Cell, Figure} from '../data';
import {h, type Child} from '../dom';
import {brief, change, inUnit, none, slug} from '../format';
import type {App} from '../app';
import {table} from './table';

const summaries = /^(mean|max|min|count|geometric mean|mean of \d+|mean .*)$/;

export function barsOf(f: Figure): BarChart {
  const names: string[] = [];
  for (const g of f.groups) for (const c of g.cells) if (!names.includes(c.workload)) names.push(c.workload);
  names.sort((a, b) => Number(summaries.test(a)) - Number(summaries.test(b))); // stable: workloads, then summaries
  const bar = (c: Cell | undefined): Bar | null =>
    c ? {ours: c.ours, low: c.low, high: c.high, paper: c.paper, verdict: c.verdict} : null;
  return {
    series: f.groups.map((g, i) => ({name: g.compared, colour: i + 1})),
    groups: names.map(name => ({
      name,
      summary: summaries.test(name),
      bars: f.groups.map(g => bar(g.cells.find(c => c.workload === name))),
    })),
    unit: x => inUnit(x, f.unit),
    tick: x => (f.unit === '%' ? change(x / 100, 0) : brief(x)),
    paper: f.groups.some(g => g.cells.some(c => c.paper !== null)),
  };
}

export function figureSpec(f: Figure): ChartSpec {
  const c = barsOf(f);
  return {
    name: slug(`figure ${f.id}`),
    title: `${f.id}: ${f.title}`,
    note: f.says ? `The paper: ${f.says}` : undefined,
    draw: (paint, width) => drawBars(c, paint, width),
    height: width => barsHeight(c, width),
    rows: () => [
      ['compared', 'workload', 'paper', 'ours', 'low', 'high', 'unit', 'verdict'],
      ...f.groups.flatMap(g =>
        g.cells.map(x => [g.compared, x.workload, x.paper, x.ours, x.low, x.high, f.unit, x.verdict]),
      ),
    ],
  };
}

export function verdict(v: string): Child {
  if (!v) return none;
  const kind = verdictGood(v) ? 'verdict-good' : verdictBad(v) ? 'verdict-bad' : '';
  return h('span', {class: `verdict ${kind}`}, `${verdictSigns[v] ?? ''} ${v === '=' ? 'no difference' : v}`.trim());
}

function cellTable(f: Figure): Child {
  const rows = f.groups.flatMap(g => g.cells.map(c => ({compared: g.compared, ...c})));
  return h(
    'details',
    {class: 'config'},
    h('summary', {}, 'All numbers of this figure'),
    table({
      id: slug(`figure ${f.id} numbers`),
      label: `Numbers of ${f.title}`,
      rows,
      page: 50,
      columns: [
        {name: 'compared', value: r => r.compared},
        {name: 'workload', value: r => r.workload},
        {name: 'paper', number: true, value: r => r.paper, show: r => inUnit(r.paper, f.unit)},
        {name: 'ours', number: true, value: r => r.ours, show: r => inUnit(r.ours, f.unit)},
        {
          name: 'range',
          number: true,
          value: r => (r.low === null || r.high === null ? null : r.high - r.low),
          show: r =>
            r.low === null || r.high === null || r.low === r.high
              ? none
              : `${inUnit(r.low, f.unit)} to ${inUnit(r.high, f.unit)}`,
        },
        {name: 'verdict', value: r => r.verdict, show: r => verdict(r.verdict)},
      ],
    }),
  );
}

function checkTable(f: Figure): Child {
  if (!f.checks || f.checks.length === 0) return null;
  return table({
    id: slug(`figure ${f.id} checks`),
    label: `Checks of ${f.title}`,
    rows: f.checks,
    columns: [
      {name: 'check', value: r => r.name},
      {
        name: 'accepted',
        number: true,
        value: r => r.least,
        show: r => `${inUnit(r.least, f.unit)} to ${inUnit(r.most, f.unit)}`,
      },
      {name: 'ours', number: true, value: r => r.ours, show: r => inUnit(r.ours, f.unit)},
      {name: 'verdict', value: r => r.verdict, show: r => verdict(r.verdict)},
    ],
  });
}

// Verdicts of the paper's independent numbers, misses first, and how many of its numbers repeat others.
export function tally(figures: Figure[]): {verdicts: [string, number][]; apart: number} {
  const counts = new Map<string, number>();
  let apart = 0;
  for (const f of figures)
    for (const g of f.groups)
      for (const c of g.cells) {
        if (c.paper === null || !c.verdict) continue;
        if (c.counts === false) apart += 1;
        else counts.set(c.verdict, (counts.get(c.verdict) ?? 0) + 1);
      }
  const order = ['opposite', 'missed', 'no effect', '=', 'same sign', 'reproduced'];
  const rank = (v: string) => (order.indexOf(v) < 0 ? order.length : order.indexOf(v));
  return {verdicts: [...counts].sort((a, b) => rank(a[0]) - rank(b[0])), apart};
}

function score(figures: Figure[]): Child {
  const {verdicts, apart} = tally(figures);
  if (verdicts.length === 0) return null;
  return h(
    'p',
    {class: 'score'},
    "The paper's independent numbers here: ",
    verdicts.map(([v, n], i) => [i > 0 ? ', ' : '', `${n} `, verdict(v)]),
    apart > 0 ? `; ${apart} more repeat others or are constants.` : '.',
  );
}

export function studySection(app: App): Child {
  const {figures} = app.model.data;
  if (figures.length === 0) return h('p', {class: 'empty'}, 'No figure of a paper belongs to these runs.');
  return [score(figures), figures.map(f => [chart(figureSpec(f), {after: cellTable(f)}).element, checkTable(f)])];
}
