// In short: what every design did, as a sentence and as a row of numbers; and one metric over all workloads.
import type {App} from '../app';
import {barsHeight, drawBars, type Bar, type BarChart} from '../charts/bars';
import {chart, type ChartSpec} from '../charts/chart';
import {h, type Child} from '../dom';
import {change, count, none, share, slug} from '../format';
import {designSentence} from '../funnel/words';
import {available, changes, levels, meanChange, meanOver, shown, shownText, type Metric, type Spread} from '../metrics';
import type {Case, Entry, Model} from '../model';
import {table, type Column} from './table';

export const swatch = (e: Entry): HTMLElement => {
  const box = h('span', {class: 'swatch', 'aria-hidden': 'true'});
  if (e.colour >= 0) box.style.background = `var(--design-${e.colour})`;
  return box;
};

export function problems(runs: Entry[]): Child {
  const wrong = runs.filter(e => e.runs.some(r => !r.verified && r.complete && r.compared !== 0)),
    cut = runs.filter(e => e.runs.some(r => !r.complete));
  return [
    wrong.length > 0
      ? h(
          'p',
          {class: 'problem'},
          `Not verified against the CPU reference: ${wrong.map(e => e.design).join(', ')}. Time has no meaning for a wrong result.`,
        )
      : null,
    cut.length > 0
      ? h(
          'p',
          {class: 'problem'},
          `Stopped early: ${cut.map(e => e.design).join(', ')}. The numbers are of the part that was simulated.`,
        )
      : null,
  ];
}

function range(x: {low: number | null; high: number | null}, text: (v: number) => string): Child {
  return x.low === null || x.high === null
    ? null
    : h('span', {class: 'small-text'}, ` ${text(x.low)} to ${text(x.high)}`);
}

function changeText(x: Spread): Child {
  return [meanChange(x), range(x, change)];
}

function comparisonTable(model: Model, c: Case, entries: Entry[]): Child {
  const columns: Column<Entry>[] = [{name: 'design', value: e => e.design}];
  for (const m of available(model)) {
    const changed = (e: Entry) => (e.index === 0 ? null : changes(model, m, c, e));
    columns.push({
      name: m.column,
      number: true,
      about: m.about,
      value: e => levels(model, m, e)?.mean ?? null,
      show: e => {
        const x = levels(model, m, e),
          difference = m.brief ? changed(e) : null;
        return difference ? changeText(difference) : x ? m.text(x.mean) : none;
      },
    });
    if (!m.changes || m.brief || entries.length === 1) continue;
    columns.push({
      name: m.inverse ? 'speed-up' : 'change',
      number: true,
      about: `${m.title}: against ${c.entries[0]!.design}`,
      value: e => changes(model, m, c, e)?.mean ?? null,
      show: e => {
        const x = changed(e);
        return x ? changeText(x) : '';
      },
    });
  }
  return table({id: 'designs', label: `Designs on ${c.label}`, columns, rows: entries});
}

export function shortSection(app: App): Child {
  const c = app.case;
  if (!c) return h('p', {class: 'empty'}, 'There are no finished runs yet.');
  const entries = app.entries,
    base = entries[0]!;
  const first = base.run;
  const sentences =
    entries.length === 1
      ? [h('li', {}, h('span', {class: 'name'}, swatch(base), base.design), h('span', {}, only(app.model, base)))]
      : entries
          .slice(1)
          .map(e =>
            h(
              'li',
              {},
              h('span', {class: 'name'}, swatch(e), e.design),
              h('span', {}, designSentence(app.model, c, e)),
            ),
          );
  return [
    h('div', {class: 'card'}, h('ul', {class: 'short'}, sentences)),
    problems(entries),
    comparisonTable(app.model, c, entries),
    h(
      'p',
      {class: 'small-text'},
      `${!app.hasChosen && entries.length < c.entries.length ? `Shown are ${base.design} and the ${entries.length - 1} fastest of ${c.entries.length} designs; choose others above. ` : ''}${entries.length > 1 ? `Changes are against ${base.design}. ` : ''}${base.runs.length === 1 && entries.length === 1 ? '' : base.runs.length > 1 ? `Means of ${base.runs.length} runs (as it is, and slightly perturbed), with the lowest and the highest; =: not larger than that range.` : 'One run has no range: a small difference may be chance.'} Input of ${c.workload}: ${
        Object.entries(first.parameters)
          .map(([k, v]) => `${k} ${v}`)
          .join(', ') || none
      }.`,
    ),
  ];
}

function only(model: Model, e: Entry): string {
  const ipc = model.stat(e.run, 'sm.ipc');
  return `${count(model.stat(e.run, 'gpu.cycles'))} cycles${ipc === null ? '' : `, ${ipc.toFixed(2)} warp instructions per SM and cycle`}${model.has('l1.read_hit_rate') ? `, ${share(model.stat(e.run, 'l1.read_hit_rate'))} L1 hits` : ''}.`;
}

// ---- one metric over all workloads

export const mostCases = 40; // beside each other in the chart; the table has all

function shownIn(model: Model, metric: Metric, c: Case, design: string): Spread | null {
  const e = c.entries.find(x => x.design === design);
  return e ? shown(model, metric, c, e) : null;
}

export function metricBars(model: Model, metric: Metric, entries: Entry[]): BarChart {
  const skip = metric.changes ? 1 : 0; // the change of the baseline is nothing
  const series = entries.slice(skip).map(e => ({name: e.design, colour: e.colour}));
  const bar = (c: Case, name: string): Bar | null => {
    const x = shownIn(model, metric, c, name);
    return x ? {ours: x.mean, low: x.low, high: x.high, paper: null, verdict: ''} : null;
  };
  const label = (c: Case) => c.entries[0]!.run.short || c.workload;
  const groups = model.cases
    .slice(0, mostCases)
    .map(c => ({name: label(c), summary: false, bars: series.map(x => bar(c, x.name))}));
  const means = series.map(x =>
    meanOver(
      metric,
      model.cases.map(c => shownIn(model, metric, c, x.name)?.mean ?? null),
    ),
  );
  if (model.cases.length > 1 && means.some(m => m !== null)) {
    groups.push({
      name: metric.changes ? 'geo. mean' : 'mean',
      summary: true,
      bars: means.map(m => (m === null ? null : {ours: m, low: null, high: null, paper: null, verdict: ''})),
    });
  }
  return {
    series,
    groups,
    unit: x => shownText(metric, x),
    tick: x => (metric.changes ? change(x, 0) : metric.text(x)),
    paper: false,
  };
}

export function metricSpec(model: Model, metric: Metric, entries: Entry[]): ChartSpec {
  const bars = metricBars(model, metric, entries);
  return {
    name: slug(`workloads ${metric.id}`),
    title: `${metric.title}${metric.changes ? ` against ${entries[0]!.design}` : ''}, by workload`,
    note: `${metric.about}${metric.better ? `; ${metric.better} is better` : ''}${model.cases.length > mostCases ? `; the first ${mostCases} of ${model.cases.length} workloads` : ''}`,
    draw: (paint, width) => drawBars(bars, paint, width),
    height: width => barsHeight(bars, width),
    rows: () => [
      ['workload', 'design', 'value', 'low', 'high'],
      ...bars.groups.flatMap(g => g.bars.map((b, i) => [g.name, bars.series[i]!.name, b?.ours, b?.low, b?.high])),
    ],
  };
}

function metricTable(app: App, metric: Metric): HTMLElement {
  const {model} = app,
    designs = app.entries.slice(metric.changes ? 1 : 0);
  return table<Case>({
    id: `workloads-${metric.id}`,
    label: `${metric.title} by workload`,
    rows: model.cases,
    page: 20,
    filter: model.cases.length > 12 ? 'Filter workloads' : undefined,
    matches: c => c.label,
    columns: [
      {name: 'workload', value: c => c.label},
      {
        name: `${metric.column}, ${app.entries[0]!.design}`,
        number: true,
        about: metric.about,
        value: c => levels(model, metric, c.entries[0]!)?.mean ?? null,
        show: c => {
          const x = levels(model, metric, c.entries[0]!);
          return x ? metric.text(x.mean) : none;
        },
      },
      ...designs
        .filter(e => e.index > 0)
        .map((e): Column<Case> => ({
          name: e.design,
          number: true,
          value: c => shownIn(model, metric, c, e.design)?.mean ?? null,
          show: c => {
            const x = shownIn(model, metric, c, e.design);
            return x
              ? metric.changes
                ? changeText(x)
                : [shownText(metric, x.mean), range(x, v => shownText(metric, v))]
              : none;
          },
        })),
    ],
  });
}

export interface WorkloadsState {
  metric: string;
}

export function workloadsSection(app: App, state: WorkloadsState): Child {
  const all = available(app.model);
  if (all.length === 0 || app.model.cases.length === 0)
    return h('p', {class: 'empty'}, 'There are no numbers to compare yet.');
  const place = h('div', {class: 'section-body'});
  const put = () => {
    const metric = all.find(m => m.id === state.metric) ?? all[0]!;
    place.replaceChildren(
      chart(metricSpec(app.model, metric, app.entries), {controls: choice}).element,
      metricTable(app, metric),
    );
  };
  const choice = h(
    'label',
    {},
    'Metric ',
    h(
      'select',
      {
        id: 'metric',
        onchange: (e: Event) => {
          state.metric = (e.target as HTMLSelectElement).value;
          put();
          choice.querySelector('select')!.focus();
        },
      },
      all.map(m => h('option', {value: m.id, selected: m.id === state.metric}, m.title)),
    ),
  );
  put();
  return place;
}
