// The document inside the page, as docs/report-data.md has it. The page reads it and changes nothing in it.

export interface Statistic {
  name: string;
  unit: string;
  about: string;
}
export interface Level {
  name: string;
  unit: string;
  by: string;
}
export interface Place {
  name: string;
  in: number;
  out: number;
}
export interface RunFunnel {
  count: number[];
  could: (number | null)[];
  removed: {by: string; count: number}[][];
  added?: {by: string; count: number}[][]; // requests that a place made itself: prefetches
}
export interface Series {
  from: number[];
  until: number[];
  values: Record<string, (number | null)[]>;
}
export interface SeriesAbout {
  title: string;
  unit: string;
  group: string;
}
export interface Ctas {
  sms: number;
  launch: number[];
  cta: number[];
  sm: number[];
  from: number[];
  until: number[];
  of: number;
}
export interface Grid {
  rows: number;
  columns: number;
  row_name: string;
  column_name: string;
}
export interface Traffic extends Grid {
  requests: number[][];
  replies: number[][];
}
export interface Banks extends Grid {
  hits: number[][];
  accesses: number[][];
}
export interface Detail {
  cycles: number;
  launches: {kernel: string; from: number; until: number}[];
  series?: Series;
  series_about?: Record<string, SeriesAbout>;
  ctas?: Ctas;
  traffic?: Traffic;
  banks?: Banks;
}
export interface Run {
  id: string;
  workload: string;
  short: string;
  suite: string;
  scale: string;
  seed: number;
  parameters: Record<string, string>;
  input: string;
  contents: string;
  study: string;
  design: string;
  perturbation: string;
  labels?: {study: string; design: string; perturbation: string}[]; // all that it was run for
  machine: string;
  configuration: number;
  verified: boolean;
  compared?: number; // values that were compared; 0: there was nothing to compare with
  complete: boolean;
  source: string;
  finished: string;
  command: string;
  host: {cpu_seconds: number; memory_bytes: number};
  stats: (number | null)[];
  funnel?: RunFunnel;
  kernels?: {name: string; launches: number; cycles: number; instructions: number}[];
  detail?: Detail;
}
export interface Comparison {
  workload: string;
  scale: string;
  baseline: string;
  runs: string[];
  designs?: string[]; // by run: its name here; a run may be shared by studies that name it differently
  study?: string;
}
export interface Cell {
  workload: string;
  ours: number | null;
  low: number | null;
  high: number | null;
  paper: number | null;
  verdict: string;
  counts?: boolean; // false: the paper's number repeats others, or is a constant; pages were without it once
}
export interface Check {
  name: string;
  least: number | null;
  most: number | null;
  ours: number | null;
  verdict: string;
}
export interface Figure {
  id: string;
  title: string;
  says: string;
  unit: string;
  better: string;
  groups: {compared: string; cells: Cell[]}[];
  checks?: Check[];
}
// A rate of `heddle noc`. Rates are flits per input and core cycle, latencies core cycles.
export interface LoadPoint {
  offered: number;
  accepted: number;
  latency: number;
  p99: number;
  longest: number;
  network_latency: number; // network cycles
  packets: number;
  keeps_up: boolean;
  busiest_output: number; // flits per network cycle
  network_cycles: number;
  output_flits: number[]; // in that time, by output
  link_flits: number[]; // the same, by link
}
// Routers in a grid, numbered row by row; the router of every input and every output.
export interface Floor {
  width: number;
  height: number;
  inputs: number[];
  outputs: number[];
}
export interface NocCurve {
  name: string;
  network: string;
  configuration: number;
  zero_load_latency: number;
  peak: number | null;
  saturation: number | null;
  cut: boolean;
  senders: string; // what stands at inputs: "core"
  receivers: string;
  links: {name: string; from: number; to: number}[];
  points: LoadPoint[];
  floor?: Floor;
}
export interface Noc {
  pattern: string;
  flits: number;
  seed: number;
  warm_up: number;
  cycles: number;
  compared: string; // the parameter by which curves differ; empty: there is one
  curves: NocCurve[];
}
// A launch of `heddle validate silicon`; states in warp cycles, by Silicon.states.
export interface SiliconLaunch {
  program: string;
  detail: string; // "3 bfs_k2"
  cycles: {ours: number; theirs: number};
  warps: number;
  instructions: number; // that the card executed
  states: {ours: number[]; theirs: number[]};
}
export interface Silicon {
  card: string;
  accuracy: {launches: number; mean: number; median: number; p90: number; correlation_of_logarithms: number};
  states: string[];
  launches: SiliconLaunch[];
}
export interface Progress {
  done: number;
  of: number;
  seconds_left: number | null;
  running: string[];
}
export interface PageData {
  schema: string;
  title: string;
  made: {version: string; source: string; written: string; command: string};
  live: boolean;
  progress?: Progress;
  statistics: Statistic[];
  funnel: {levels: Level[]; places: Place[]};
  configurations: string[];
  runs: Run[];
  comparisons: Comparison[];
  figures: Figure[];
  noc?: Noc; // a page of `heddle noc`, which has no runs
  silicon?: Silicon; // likewise, of `heddle validate silicon`
}

export const schema = 'heddle.page/1';

// Throws an Error whose message can be shown to the reader.
export function parseData(text: string): PageData {
  if (text.trim() === '')
    throw new Error('This page has no data in it. "heddle report -o report.html" writes one that has.');
  let data: PageData;
  try {
    data = JSON.parse(text) as PageData;
  } catch (e) {
    throw new Error(`The data inside this page cannot be read (${(e as Error).message}). The file may be cut off.`);
  }
  if (data.schema !== schema) {
    throw new Error(`The data inside this page has the schema "${data.schema}"; this page shows "${schema}".`);
  }
  return data;
}
