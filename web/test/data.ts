// Data for tests: real records, and variations of them.
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import type {PageData, Run} from '../src/data';

const folder = join((import.meta as unknown as {dirname: string}).dirname, 'data');

export function load(name: 'hotspot' | 'several' | 'study' | 'networks' | 'mesh' | 'silicon'): PageData {
  return JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as PageData;
}

// A page of a large study: every design on every workload, each number a little different.
export function large(designs: number, workloads: number, statistics: number): PageData {
  const data = load('hotspot');
  const model = data.runs[0]!;
  while (data.statistics.length < statistics) {
    const i = data.statistics.length;
    data.statistics.push({
      name: `extra.counter_${i}`,
      unit: 'requests',
      about: `Counter number ${i}, for a page with many statistics`,
    });
  }
  const runs: Run[] = [];
  data.comparisons = [];
  for (let w = 0; w < workloads; ++w) {
    const ids: string[] = [];
    for (let d = 0; d < designs; ++d) {
      const id = `w${w}d${d}`,
        by = 1 + ((w * 31 + d * 17) % 97) / 200;
      ids.push(id);
      const stats = data.statistics.map((_, i) => {
        const v = model.stats[i] ?? i * 1001;
        return typeof v === 'number' ? Math.round(v * by * 1000) / 1000 : v;
      });
      runs.push({
        ...model,
        id,
        workload: `workload ${w}`,
        short: `W${w}`,
        design: d === 0 ? 'baseline' : `design ${d}`,
        stats,
        detail: undefined,
      });
    }
    data.comparisons.push({workload: `workload ${w}`, scale: 'small', baseline: `w${w}d0`, runs: ids});
  }
  data.runs = runs;
  data.title = 'A large study';
  return data;
}

// As an older version wrote it.
export function withoutEnergy(data: PageData): PageData {
  const stays = data.statistics.map(s => !s.name.startsWith('energy.'));
  data.statistics = data.statistics.filter((_, i) => stays[i]);
  for (const r of data.runs) r.stats = r.stats.filter((_, i) => stays[i]);
  return data;
}

// Energies by hand, in picojoules: static ones are watts times the run's time. Only designs with ICC merge, and there is no
// network between SMs and L1s.
export function withEnergy(data: PageData): PageData {
  withoutEnergy(data);
  const time = data.statistics.findIndex(s => s.name === 'gpu.picoseconds');
  const energies = (r: Run): [string, number][] => {
    const merging = r.design.includes('ICC') ? 1 : 0,
      reads = merging ? 0.6 : 1;
    const dynamic = {sm: 2.1e9, l1: 2e8, merging: merging * 3e7, core_network: 0, network: 6e8, l2: 3e8, dram: 9e8};
    const watts = {sm: 22, l1: 1.5, merging: merging * 0.25, core_network: 0, network: 3, l2: 4, dram: 8, other: 12};
    const both: [string, number][] = [
      ...Object.entries(dynamic).map(([k, v]): [string, number] => [k, /network|l2/.test(k) ? v * reads : v]),
      ...Object.entries(watts).map(([k, v]): [string, number] => [`${k}_static`, Math.round(v * r.stats[time]!)]),
    ];
    return [...both, ['total', both.reduce((sum, [, v]) => sum + v, 0)]];
  };
  for (const [name] of energies(data.runs[0]!))
    data.statistics.push({name: `energy.${name}`, unit: 'pJ', about: `Energy of ${name}`});
  for (const r of data.runs) r.stats.push(...energies(r).map(([, v]) => v));
  return data;
}

// As the C++ side writes it into the page.
export function embedded(data: PageData): string {
  return JSON.stringify(data).replace(/</g, '\\u003c').replace(/>/g, '\\u003e').replace(/&/g, '\\u0026');
}
