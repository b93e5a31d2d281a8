// Data for tests: real records, and variations of them.
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import type {PageData, Run} from '../src/data';

const folder = join((import.meta as unknown as {dirname: string}).dirname, 'data');

export function load(name: 'hotspot' | 'several' | 'study' | 'networks' | 'mesh'): PageData {
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

// As the C++ side writes it into the page.
export function embedded(data: PageData): string {
  return JSON.stringify(data).replace(/</g, '\\u003c').replace(/>/g, '\\u003e').replace(/&/g, '\\u0026');
}
