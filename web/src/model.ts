// The runs of the data, ordered for the page: cases (one workload at one scale), and in a case its designs.
import type {Comparison, PageData, Run} from './data';

// One design of a case. `runs` has the perturbed runs as well, `run` is the one without perturbation.
export interface Entry {
  design: string;
  run: Run;
  runs: Run[];
  index: number;  // in the case; the baseline is 0. Decides colour and dash
}

export interface Case {
  key: string;  // stays the same when data is read again
  label: string;
  workload: string;
  scale: string;
  entries: Entry[];  // the baseline first
}

export function designName(run: Run): string {
  return run.design || run.machine || run.id;
}

export class Model {
  readonly data: PageData;
  readonly cases: Case[];
  private readonly column = new Map<string, number>();

  constructor(data: PageData) {
    this.data = data;
    data.statistics.forEach((s, i) => this.column.set(s.name, i));
    const byId = new Map(data.runs.map(r => [r.id, r]));
    const named = new Set<string>();
    const cases: Case[] = [];
    for (const c of data.comparisons) {
      for (const id of c.runs) named.add(id);
      const runs = c.runs.map(id => byId.get(id)).filter((r): r is Run => r !== undefined);
      if (runs.length > 0) cases.push(makeCase(c, runs));
    }
    // Runs that no comparison names are shown all the same, by workload and scale.
    const others = new Map<string, Run[]>();
    for (const r of data.runs) {
      if (named.has(r.id)) continue;
      const key = `${r.workload}\n${r.scale}`;
      const list = others.get(key);
      if (list) list.push(r);
      else others.set(key, [r]);
    }
    for (const runs of others.values()) {
      const first = runs[0]!;
      cases.push(makeCase({workload: first.workload, scale: first.scale, baseline: first.id, runs: []}, runs));
    }
    this.cases = withDistinctKeys(cases);
  }

  has(name: string): boolean {
    return this.column.has(name);
  }

  stat(run: Run, name: string): number | null {
    const i = this.column.get(name);
    return i === undefined ? null : (run.stats[i] ?? null);
  }
}

function makeCase(c: Comparison, runs: Run[]): Case {
  const byDesign = new Map<string, Run[]>();
  for (const r of runs) {
    const list = byDesign.get(designName(r));
    if (list) list.push(r);
    else byDesign.set(designName(r), [r]);
  }
  const base = runs.find(r => r.id === c.baseline) ?? runs[0]!;
  const names = [...byDesign.keys()];
  names.sort((a, b) => Number(b === designName(base)) - Number(a === designName(base)));  // stable: others keep their order
  const entries = names.map((design, index) => {
    const list = byDesign.get(design)!;
    return {design, runs: list, run: list.find(r => r.perturbation === '') ?? list[0]!, index};
  });
  const label = c.scale ? `${c.workload}, ${c.scale}` : c.workload;
  return {key: label, label, workload: c.workload, scale: c.scale, entries};
}

function withDistinctKeys(cases: Case[]): Case[] {
  const seen = new Map<string, number>();
  for (const c of cases) {
    const n = (seen.get(c.key) ?? 0) + 1;
    seen.set(c.key, n);
    if (n > 1) {
      c.key = `${c.key} (${n})`;
      c.label = `${c.label} (${c.entries[0]!.run.machine})`;
    }
  }
  return cases;
}
