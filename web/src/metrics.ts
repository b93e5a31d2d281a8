// The metrics of `heddle compare` (docs/compare.md), computed from statistics of the runs.
import type {Run} from './data';
import {bytes, change, count, share, si, value} from './format';
import type {Case, Entry, Model} from './model';

export interface Metric {
  id: string;
  title: string;
  column: string; // short, for tables
  about: string;
  needs: string[];
  level(stat: (name: string) => number): number;
  text(level: number): string;
  changes: boolean; // shown as a change against the baseline; otherwise as a level
  brief?: boolean; // in tables the level of the baseline and the changes of the others share a column
  inverse?: boolean; // the change is that of 1 / level: a speed-up
  better: 'more' | 'less' | '';
}

export const picos = 1e12; // picojoules of a joule, picoseconds of a second

export const metrics: Metric[] = [
  {
    id: 'speed',
    title: 'Speed-up',
    column: 'cycles',
    about: 'core cycles of all launches; the change is that of the speed',
    needs: ['gpu.cycles'],
    level: s => s('gpu.cycles'),
    text: count,
    changes: true,
    inverse: true,
    better: 'more',
  },
  {
    id: 'network_reads',
    title: 'Read requests in the network',
    column: 'NoC reads',
    about: 'read requests that entered the request network',
    needs: ['cluster.injected_reads'],
    level: s => s('cluster.injected_reads'),
    text: count,
    changes: true,
    better: 'less',
  },
  {
    id: 'l1_hit_rate',
    title: 'L1 hits',
    column: 'L1 hits',
    about: 'share of read requests complete in the L1',
    needs: ['l1.read_hit_rate'],
    level: s => s('l1.read_hit_rate'),
    text: x => share(x),
    changes: false,
    better: 'more',
  },
  {
    id: 'l1_miss_latency',
    title: 'Mean L1 miss latency',
    column: 'latency',
    about: "mean cycles from a load's issue to the data of a line that was no hit",
    needs: ['l1.miss_latency.mean'],
    level: s => s('l1.miss_latency.mean'),
    text: x => value(Math.round(x)),
    changes: true,
    brief: true,
    better: 'less',
  },
  {
    id: 'merged',
    title: "Reads merged at the clusters' ports",
    column: 'merged',
    about:
      "share of the reads at the clusters' ports that were merged with another one, or answered from what the merger stores",
    needs: ['merger.merged', 'merger.held', 'merger.offered', 'merger.bypassed'],
    level: s => (s('merger.merged') + s('merger.held')) / (s('merger.offered') - s('merger.bypassed')),
    text: x => share(x),
    changes: false,
    better: 'more',
  },
  {
    id: 'dram_bytes',
    title: 'DRAM traffic',
    column: 'DRAM',
    about: 'bytes read and written, in whole bursts',
    needs: ['dram.read_bytes', 'dram.write_bytes'],
    level: s => s('dram.read_bytes') + s('dram.write_bytes'),
    text: bytes,
    changes: true,
    brief: true,
    better: 'less',
  },
  {
    id: 'energy',
    title: 'Energy',
    column: 'energy',
    about: 'joules of the whole card: for what happened, and for being there as long as the run took',
    needs: ['energy.total'],
    level: s => s('energy.total') / picos,
    text: x => si(x, 'J'),
    changes: true,
    brief: true,
    better: 'less',
  },
  {
    id: 'edp',
    title: 'Energy-delay product',
    column: 'EDP',
    about: 'joules of the whole card times seconds of the run',
    needs: ['energy.total', 'gpu.picoseconds'],
    level: s => (s('energy.total') / picos) * (s('gpu.picoseconds') / picos),
    text: x => si(x, 'J s'),
    changes: true,
    brief: true,
    better: 'less',
  },
];

export function available(model: Model): Metric[] {
  return metrics.filter(m => m.needs.every(n => model.has(n)));
}

export function level(model: Model, metric: Metric, run: Run): number | null {
  if (metric.needs.some(n => model.stat(run, n) === null)) return null;
  const x = metric.level(n => model.stat(run, n)!);
  return Number.isFinite(x) ? x : null;
}

// Mean, lowest and highest: over the perturbations where there are several runs.
export interface Spread {
  mean: number;
  low: number | null;
  high: number | null;
}

function spread(values: number[]): Spread | null {
  if (values.length === 0) return null;
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  if (values.length === 1) return {mean, low: null, high: null};
  return {mean, low: Math.min(...values), high: Math.max(...values)};
}

export function levels(model: Model, metric: Metric, entry: Entry): Spread | null {
  return spread(entry.runs.map(r => level(model, metric, r)).filter((x): x is number => x !== null));
}

function changeOf(model: Model, metric: Metric, run: Run, base: Run): number | null {
  // Where clocks differ, the speed is that of the time.
  const [a, b] =
    metric.id === 'speed' && model.has('gpu.picoseconds') && model.stat(run, 'gpu.picoseconds')
      ? [model.stat(run, 'gpu.picoseconds'), model.stat(base, 'gpu.picoseconds')]
      : [level(model, metric, run), level(model, metric, base)];
  if (a === null || b === null) return null;
  const x = metric.inverse ? b / a - 1 : a / b - 1;
  return Number.isFinite(x) ? x : null;
}

// Against the case's baseline, within each perturbation.
export function changes(model: Model, metric: Metric, c: Case, entry: Entry): Spread | null {
  const base = new Map(c.entries[0]!.runs.map(r => [r.perturbation, r]));
  const all: number[] = [];
  for (const r of entry.runs) {
    const b = base.get(r.perturbation);
    const x = b ? changeOf(model, metric, r, b) : null;
    if (x !== null) all.push(x);
  }
  return spread(all);
}

// The mean of a change; "=" where it is not larger than the range of the runs, so that nobody takes chance for an effect.
export function meanChange(x: Spread): string {
  const nothing = x.low !== null && x.high !== null && Math.abs(x.mean) <= x.high - x.low;
  return nothing ? '=' : change(x.mean);
}

// What a bar shows: the change, or the level where changes say little.
export function shown(model: Model, metric: Metric, c: Case, entry: Entry): Spread | null {
  return metric.changes ? changes(model, metric, c, entry) : levels(model, metric, entry);
}

export function shownText(metric: Metric, x: number): string {
  return metric.changes ? change(x) : metric.text(x);
}

// Geometric mean of ratios for changes, arithmetic for levels; null when a case lacks the design.
export function meanOver(metric: Metric, values: (number | null)[]): number | null {
  if (values.length === 0 || values.some(v => v === null)) return null;
  const all = values as number[];
  if (!metric.changes) return all.reduce((a, b) => a + b, 0) / all.length;
  if (all.some(v => v <= -1)) return null;
  return Math.exp(all.reduce((a, b) => a + Math.log1p(b), 0) / all.length) - 1;
}
