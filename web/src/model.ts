// The runs of the data, ordered for the page: cases (one workload at one scale), and in a case its designs.
import type {Comparison, PageData, Run} from './data';

// One design of a case. `runs` has the perturbed runs as well, `run` is the one without perturbation.
export interface Entry {
  design: string;
  run: Run;
  runs: Run[];
  index: number; // in the case; the baseline is 0
  colour: number; // and dash; none as long as it is not shown: there are fewer colours than designs
}

export interface Case {
  key: string; // stays the same when data is read again
  label: string;
  workload: string;
  scale: string;
  entries: Entry[]; // the baseline first
}

export const colours = 10; // of Paint.designs: as many designs can be shown at once
export const none = -1;

// Gives a colour to those that have none, and to no two the same. The baseline's is 0.
export function giveColours(shown: Entry[]): Entry[] {
  const used = new Set([0]);
  for (const e of shown) {
    if (e.index === 0) e.colour = 0;
    else if (used.has(e.colour)) e.colour = none;
    else if (e.colour !== none) used.add(e.colour);
  }
  for (const e of shown) {
    for (let c = 1; e.colour === none && c < colours; ++c) if (!used.has(c)) used.add((e.colour = c));
  }
  return shown;
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
      const known = c.runs.map((id, i) => ({run: byId.get(id), design: c.designs?.[i]}));
      const runs = known.filter((r): r is {run: Run; design: string | undefined} => r.run !== undefined);
      const names = namesIn(runs.map(r => r.run));
      runs.forEach((r, i) => (r.design ??= names[i]));
      if (runs.length > 0) cases.push(makeCase(c, runs));
    }
    this.cases = withDistinctKeys([
      ...cases,
      ...remaining(
        data.runs.filter(r => !named.has(r.id)),
        cases,
      ),
    ]);
  }

  has(name: string): boolean {
    return this.column.has(name);
  }

  stat(run: Run, name: string): number | null {
    const i = this.column.get(name);
    return i === undefined ? null : (run.stats[i] ?? null);
  }
}

const same = (a: Run, b: Run) =>
  a.workload === b.workload && a.scale === b.scale && a.contents === b.contents && a.study === b.study;

// Runs that no comparison names: perturbed ones belong to their design, others are cases by workload and scale.
function remaining(runs: Run[], cases: Case[]): Case[] {
  const byWorkload = new Map<string, Case[]>();
  const put = (c: Case) => byWorkload.set(c.workload, [...(byWorkload.get(c.workload) ?? []), c]);
  cases.forEach(put);
  const others = new Map<string, Run[]>();
  for (const r of runs) {
    const home = r.perturbation === '' ? undefined : byWorkload.get(r.workload)?.find(c => same(c.entries[0]!.run, r));
    const entry = home?.entries.find(e => e.design === designName(r));
    const key = `${r.workload}\n${r.scale}\n${r.contents}\n${r.study}`;
    const list = entry ? entry.runs : others.get(key);
    if (list) list.push(r);
    else others.set(key, [r]);
  }
  return [...others.values()].map(list => {
    const first = list.find(r => r.perturbation === '') ?? list[0]!;
    return makeCase(
      {workload: first.workload, scale: first.scale, baseline: first.id, runs: []},
      list.map(run => ({run, design: undefined})),
    );
  });
}

// The names of the runs in the study that all of them were run for; by its first label a shared run may have another's.
function namesIn(runs: Run[]): string[] {
  const first = runs.map(designName);
  if (new Set(first).size === runs.length) return first;
  for (const {study} of runs[0]?.labels ?? []) {
    const names = runs.map(r => r.labels?.find(l => l.study === study && l.perturbation === '')?.design ?? '');
    if (names.every(Boolean) && new Set(names).size === runs.length) return names;
  }
  return first;
}

function makeCase(c: Comparison, runs: {run: Run; design: string | undefined}[]): Case {
  const byDesign = new Map<string, Run[]>();
  let base = '';
  for (const {run, design} of runs) {
    const name = design || designName(run);
    if (run.id === c.baseline || base === '') base = name;
    const list = byDesign.get(name);
    if (list) list.push(run);
    else byDesign.set(name, [run]);
  }
  const names = [...byDesign.keys()];
  names.sort((a, b) => Number(b === base) - Number(a === base)); // stable: others keep their order
  const entries = names.map((design, index) => {
    const list = byDesign.get(design)!;
    return {
      design,
      runs: list,
      run: list.find(r => r.perturbation === '') ?? list[0]!,
      index,
      colour: names.length <= colours ? index : none,
    };
  });
  const label = c.scale ? `${c.workload}, ${c.scale}` : c.workload;
  return {key: label, label, workload: c.workload, scale: c.scale, entries};
}

function withDistinctKeys(cases: Case[]): Case[] {
  const seen = new Map<string, number>();
  for (const c of cases) {
    const n = (seen.get(c.key) ?? 0) + 1;
    seen.set(c.key, n);
    if (n === 1) continue;
    const {study, machine} = c.entries[0]!.run;
    c.label = `${c.label} (${study || machine})`;
    c.key = `${c.key} (${n})`;
  }
  return cases;
}
