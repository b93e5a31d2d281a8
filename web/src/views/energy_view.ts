// The energy section: which parts of the machine take it, and what the designs gain.
import type {App} from '../app';
import {chart, type ChartSpec} from '../charts/chart';
import {
  drawStackedBars,
  stackedBarsHeight,
  type Segment,
  type StackedBar,
  type StackedBars,
} from '../charts/stacked_bars';
import type {Row} from '../csv';
import {h, type Child} from '../dom';
import {share, si, slug} from '../format';
import {changes, meanChange, metrics, picos, type Metric} from '../metrics';
import type {Case, Entry, Model} from '../model';

// Statistics energy.NAME and energy.NAME_static.
const parts: [string, string][] = [
  ['sm', 'SMs'],
  ['l1', 'L1s'],
  ['merging', 'merging'],
  ['core_network', 'networks of the L1s'],
  ['network', 'networks'],
  ['l2', 'L2'],
  ['dram', 'DRAM'],
  ['other', 'other'],
];

const metric = (id: string) => metrics.find(m => m.id === id)!;

// What stands beside the bars.
const gains: {name: string; of: Metric}[] = [
  {name: 'speed-up', of: metric('speed')},
  {name: 'energy', of: metric('energy')},
  {name: 'EDP', of: metric('edp')},
];

interface Share {
  part: number; // index of parts
  kind: 'dynamic' | 'static';
  joules: number;
}

export interface Energy {
  entry: Entry;
  joules: number;
  seconds: number;
  shares: Share[]; // that are not zero, in the order of parts
}

function energyOf(model: Model, entry: Entry): Energy | null {
  const stat = (name: string) => (model.stat(entry.run, name) ?? 0) / picos;
  const joules = stat('energy.total'),
    seconds = stat('gpu.picoseconds');
  if (joules <= 0 || seconds <= 0) return null;
  const shares = parts.flatMap(([id], part): Share[] => [
    {part, kind: 'dynamic', joules: stat(`energy.${id}`)},
    {part, kind: 'static', joules: stat(`energy.${id}_static`)},
  ]);
  return {entry, joules, seconds, shares: shares.filter(x => x.joules > 0)};
}

// Of the designs that have one, the baseline first. None without the baseline's: it is what lengths are compared with.
export function energies(model: Model, entries: Entry[]): Energy[] {
  const all = entries.map(e => energyOf(model, e));
  return all[0] ? all.filter((e): e is Energy => e !== null) : [];
}

function tip(e: Energy, x: Share): string[] {
  return [
    `${e.entry.design}: ${parts[x.part]![1]}, ${x.kind}`,
    si(x.joules, 'J'),
    `${share(x.joules / e.joules)} of the run's ${si(e.joules, 'J')}`,
    `${si(x.joules / e.seconds, 'W')} on average`,
  ];
}

function segments(e: Energy, used: number[], full: number): Segment[] {
  let at = 0;
  return e.shares.map(x => {
    const from = at / full;
    at += x.joules;
    return {part: used.indexOf(x.part), hatched: x.kind === 'static', from, until: at / full, tip: tip(e, x)};
  });
}

function gainsOf(model: Model, c: Case, e: Entry): string[] {
  if (e.index === 0) return [];
  return gains.map(g => {
    const x = changes(model, g.of, c, e);
    return x ? meanChange(x) : '';
  });
}

export function energyBars(model: Model, c: Case, all: Energy[]): StackedBars {
  const base = all[0]!;
  const used = [...parts.keys()].filter(i => all.some(e => e.shares.some(x => x.part === i)));
  const bars = all.map((e): StackedBar => ({
    name: e.entry.design,
    total: `${si(e.joules, 'J')}, ${si(e.joules / e.seconds, 'W')}`,
    beside: gainsOf(model, c, e.entry),
    segments: segments(e, used, base.joules),
  }));
  return {
    parts: used.map(i => ({name: parts[i]![1], colour: i})),
    hatched: 'static',
    columns: all.length > 1 ? gains.map(g => g.name) : [],
    bars,
    reference: 1,
    axis: `Energy; 100% is that of ${base.entry.design}`,
    tick: x => share(x, 0),
  };
}

function rows(all: Energy[]): Row[] {
  const row = (e: Energy, part: string, kind: string, joules: number): Row => [
    e.entry.design,
    part,
    kind,
    joules,
    joules / e.seconds,
    joules / e.joules,
    joules / all[0]!.joules,
  ];
  return [
    ['design', 'part', 'kind', 'joules', 'watts', 'of its total', "of the baseline's total"],
    ...all.flatMap(e => [
      ...e.shares.map(x => row(e, parts[x.part]![1], x.kind, x.joules)),
      row(e, 'total', '', e.joules),
    ]),
  ];
}

export function energySpec(model: Model, c: Case, entries: Entry[]): ChartSpec | null {
  const all = energies(model, entries);
  if (all.length === 0) return null;
  const bars = energyBars(model, c, all);
  const base = c.entries[0]!,
    perturbed = base.runs.some(r => r.perturbation !== '');
  return {
    name: slug(`energy ${c.label}`),
    title: `Where the energy goes: ${c.label}`,
    note: `Joules and mean watts of the whole card.${all.length > 1 ? ` Speed-up, and changes of energy and energy-delay product (EDP), are against ${base.design}${perturbed ? ' (means that include perturbed runs, = where not larger than their range; bars are the run as it is)' : ''}.` : ''}`,
    draw: (paint, width) => drawStackedBars(bars, paint, width),
    height: width => stackedBarsHeight(bars, width),
    rows: () => rows(all),
  };
}

export function energySection(app: App): Child {
  const c = app.case;
  if (!c) return null;
  const spec = energySpec(app.model, c, app.entries);
  if (!spec)
    return h(
      'p',
      {class: 'empty'},
      `The energy of ${c.entries[0]!.design} is not known: an older Heddle simulated it, or not with a machine.`,
    );
  return chart(spec).element;
}
