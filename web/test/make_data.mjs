// Makes test/data/*.json from real records, by the rules of docs/report-data.md:
//
//   node test/make_data.mjs HEDDLE
//
// HEDDLE is the program. Simulates hotspot (small, four designs, with detail), and 2dconv and lud (tiny, perturbed),
// and a part of a study for its figures. Takes about two minutes.
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

const heddle = process.argv[2];
if (!heddle) throw new Error('usage: node test/make_data.mjs HEDDLE');
const work = mkdtempSync(join(tmpdir(), 'heddle-data-'));
const at = name => join(work, name);
const call = (...args) => execFileSync(heddle, args, {stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1 << 28});
const json = name => JSON.parse(readFileSync(at(name), 'utf8'));

const value = s => (s === undefined ? null : s.kind === 'histogram' ? s.value.mean : s.value);
const column = (name, s) => ({
  name: s.kind === 'histogram' ? `${name}.mean` : name,
  unit: s.unit,
  about: s.description,
});

const levels = [
  ['lanes', 'accesses', '', s => s('sm.global_load.lanes')],
  ['line requests', 'requests', 'intra-warp coalescing', s => s('sm.global_load.lines'), 'line_requests'],
  ['after inter-warp', 'requests', 'inter-warp merging', s => s('l1.global_reads_in')],
  ['L1 misses', 'requests', 'L1 hits', s => s('l1.global_reads_in') - s('l1.global_reads_hits'), 'l1_misses'],
  ['after MSHR', 'requests', 'L1 MSHRs', s => s('cluster.global_reads'), 'cluster'],
  ['after the cluster', 'requests', "the clusters' mergers", s => s('cluster.global_reads_forwarded')],
  ['NoC packets', 'packets', 'bundling', s => s('cluster.global_reads_injected'), 'network'],
  ['L2 misses', 'requests', 'L2 hits', s => s('l2.global_reads') - s('l2.global_read_hits'), 'l2_misses'],
  ['after L2 MSHR', 'requests', 'L2 MSHRs', s => s('l2.global_read_misses')],
  ['DRAM bursts', 'bursts', 'sectors per burst', s => s('dram.global_bursts'), 'rows'],
  ['row activations', 'activations', 'open rows', s => s('dram.global_activations')],
];
const places = [
  {
    name: 'the L1s and their MSHRs',
    in: 1,
    out: 4,
    parts: s => ({'L1 hits': s('l1.global_reads_hits'), 'MSHR merges': s('l1.global_reads_merged')}),
  },
  {
    name: "the clusters' ports",
    in: 4,
    out: 5,
    parts: s => ({'merge table': s('merger.merged'), 'coalesced cache': s('merger.held')}),
  },
  {
    name: 'the L2 and its MSHRs',
    in: 6,
    out: 8,
    parts: s => ({'L2 hits': s('l2.global_read_hits'), 'L2 MSHR merges': s('l2.global_read_merged')}),
  },
  {
    name: 'the DRAM rows',
    in: 9,
    out: 10,
    parts: s => ({'open rows': s('dram.global_bursts') - s('dram.global_activations')}),
  },
];

function funnel(statistics) {
  const s = name => statistics[name].value;
  return {
    count: levels.map(l => l[3](s)),
    could: levels.map(l => (l[4] ? s(`potential.${l[4]}.could_merge`) : null)),
    removed: places.map(p =>
      Object.entries(p.parts(s))
        .filter(([, n]) => n > 0)
        .map(([by, count]) => ({by, count})),
    ),
  };
}

const configurations = [];
function configuration(text) {
  const known = configurations.indexOf(text);
  return known >= 0 ? known : configurations.push(text) - 1;
}

let statistics = null;
function run(point, label, short) {
  const r = point.record;
  statistics ??= Object.entries(r.statistics).map(([name, s]) => column(name, s));
  return {
    id: point.key.slice(0, 16),
    workload: r.workload.name,
    short,
    suite: r.workload.suite,
    scale: r.workload.scale,
    seed: r.workload.seed,
    parameters: r.workload.parameters,
    input: r.workload.input_hash,
    contents: r.workload.contents ?? '',
    study: label.study,
    design: label.design,
    perturbation: label.perturbation,
    machine: r.gpu.chosen,
    configuration: configuration(r.configuration),
    verified: r.verification?.ok === true,
    complete: r.complete,
    source: r.build.source_hash.slice(0, 12),
    finished: point.finished,
    command: `heddle run ${r.workload.name} --gpu ${r.gpu.chosen} --scale ${r.workload.scale}`,
    host: {cpu_seconds: r.host.cpu_seconds, memory_bytes: r.host.memory_bytes},
    stats: Object.values(r.statistics).map(value),
    funnel: funnel(r.statistics),
    kernels: r.kernels.map(k => ({
      name: k.kernel,
      launches: k.statistics['gpu.launches'],
      cycles: k.statistics['gpu.cycles'],
      instructions: k.statistics['sm.instructions'],
    })),
  };
}

const stalls = {
  issuing_cycles: 'issue',
  stall_memory: 'memory',
  stall_dependency: 'dependency',
  stall_unit: 'unit busy',
  stall_lsu: 'LSU full',
  stall_barrier: 'barrier',
  stall_drain: 'stores',
};

// Records have totals only: spread over rows and columns in a fixed uneven way, the sums are kept.
function spread(total, rows, columns) {
  const weight = (r, c) => 4 + ((r * 7 + c * 5) % 6) + (r === c ? 3 : 0);
  let all = 0,
    given = 0;
  for (let r = 0; r < rows; ++r) for (let c = 0; c < columns; ++c) all += weight(r, c);
  const out = Array.from({length: rows}, (_, r) =>
    Array.from({length: columns}, (_, c) => {
      const n = Math.floor((total * weight(r, c)) / all);
      given += n;
      return n;
    }),
  );
  out[0][0] += total - given;
  return out;
}

function detail(settings, record) {
  const watched = Object.keys(stalls).map(s => `sm.${s}`);
  call(
    'run',
    'hotspot',
    '--scale',
    'small',
    '--quiet',
    ...settings.flatMap(s => ['--set', s]),
    '--series',
    at('series.csv'),
    '--timeline',
    at('timeline.json'),
    '--watch',
    watched.join(','),
  );
  const [head, ...rows] = readFileSync(at('series.csv'), 'utf8')
    .trim()
    .split('\n')
    .map(l => l.split(',').map(c => c.replaceAll('"', '')));
  const launches = record.launches.map(l => ({kernel: l.kernel, from: l.start, until: l.start + l.cycles}));
  const cell = (row, name) => Number(row[head.indexOf(name)]);
  const length = row => cell(row, 'until_cycle') - cell(row, 'from_cycle');
  const sms = record.gpu.sms;
  const round = x => Number(x.toFixed(4));
  const per = f => rows.map(row => round(f(row)));
  const values = {ipc: per(r => cell(r, 'warp_instructions') / length(r))};
  const about = {ipc: {title: 'IPC', unit: 'warp instructions per cycle', group: ''}};
  for (const [name, title] of Object.entries(stalls)) {
    values[`stall.${name}`] = per(r => cell(r, `sm.${name}`) / length(r) / sms);
    about[`stall.${name}`] = {title, unit: 'share of SM cycles', group: 'issue stalls'};
  }
  const use = {
    'l1.hits': ['L1 hit rate', r => cell(r, 'l1_read_hits') / Math.max(1, cell(r, 'l1_reads'))],
    'request_network.use': ['request network', r => cell(r, 'request_flits') / length(r) / 12],
    'reply_network.use': ['reply network', r => cell(r, 'reply_flits') / length(r) / 8],
    'l2.hits': ['L2 hit rate', r => cell(r, 'l2_read_hits') / Math.max(1, cell(r, 'l2_reads'))],
    'dram.use': ['DRAM bus', r => (cell(r, 'dram_read_bytes') + cell(r, 'dram_write_bytes')) / length(r) / 512],
  };
  for (const [name, [title, f]] of Object.entries(use)) {
    values[name] = per(f);
    about[name] = {title, unit: 'share', group: 'use'};
  }
  const spans = json('timeline.json')
    .traceEvents.filter(e => e.cat === 'cta')
    .sort((a, b) => a.ts - b.ts || a.pid - b.pid);
  const kept = spans.filter((_, i) => i % 4 === 0);
  const s = name => record.statistics[name].value;
  const accesses = spread(s('dram.row_hits') + s('dram.row_misses') + s('dram.row_conflicts'), 8, 16);
  return {
    cycles: launches.at(-1).until,
    launches,
    series: {from: rows.map(r => cell(r, 'from_cycle')), until: rows.map(r => cell(r, 'until_cycle')), values},
    series_about: about,
    ctas: {
      sms,
      launch: kept.map(e => e.args.launch),
      cta: kept.map(e => Number(e.name.slice(4))),
      sm: kept.map(e => e.pid - 1),
      from: kept.map(e => e.ts),
      until: kept.map(e => e.ts + e.dur),
      of: spans.length,
    },
    traffic: {
      rows: 12,
      columns: 8,
      row_name: 'cluster',
      column_name: 'partition',
      requests: spread(s('request_network.injected'), 12, 8),
      replies: spread(s('reply_network.injected'), 12, 8),
    },
    banks: {
      rows: 8,
      columns: 16,
      row_name: 'channel',
      column_name: 'bank',
      accesses,
      hits: accesses.map((row, r) => row.map((n, c) => Math.floor(n * (0.97 - ((r * 3 + c) % 7) * 0.02)))),
    },
  };
}

const shorts = {hotspot: 'HS', '2dconv': '2DCONV', lud: 'LUD'};
function page(title, command, runs, figures) {
  const groups = new Map();
  for (const r of runs) {
    const name = `${r.workload}/${r.scale}`;
    groups.set(name, [...(groups.get(name) ?? []), r]);
  }
  const comparisons = [...groups.values()].map(g => {
    const base = g.find(r => ['baseline', 'D'].includes(r.design) && !r.perturbation);
    const others = g.filter(r => r !== base);
    return {workload: g[0].workload, scale: g[0].scale, baseline: base.id, runs: [base, ...others].map(r => r.id)};
  });
  return {
    schema: 'heddle.page/1',
    title,
    made: {version: '0.1.0', source: runs[0].source, written: '2026-11-15 12:00:00 UTC', command},
    live: false,
    statistics,
    funnel: {levels: levels.map(([name, unit, by]) => ({name, unit, by})), places: places.map(({parts: _, ...p}) => p)},
    configurations,
    runs,
    comparisons,
    figures,
  };
}

// One run to a line, so that changes can be read.
const write = (name, p) => {
  const {runs, ...rest} = p;
  const head = JSON.stringify(rest).slice(0, -1);
  writeFileSync(
    new URL(`data/${name}.json`, import.meta.url),
    `${head},"runs":[\n${runs.map(r => JSON.stringify(r)).join(',\n')}\n]}\n`,
  );
};

const order = ['baseline', 'D', 'DB', 'D+ICC', 'DB+ICC', 'D+ICC+CC', 'DB+ICC+CC'];
const sorted = runs =>
  runs.sort(
    (a, b) =>
      a.workload.localeCompare(b.workload) ||
      order.indexOf(a.design) - order.indexOf(b.design) ||
      a.perturbation.localeCompare(b.perturbation),
  );
const runs_of = name =>
  sorted(
    json(name).points.flatMap(p => p.record.workload && p.labels.map(l => run(p, l, shorts[p.record.workload.name]))),
  );

try {
  call('compare', 'hotspot', '--scale', 'small', '--store', at('a.db'));
  call('results', 'export', '--json', at('a.json'), '--store', at('a.db'));
  const hotspot = runs_of('a.json');
  const sets = {
    baseline: [],
    DB: ['cta.scheduler=distributed_block'],
    'DB+ICC': ['cta.scheduler=distributed_block', 'cluster.merger=icc'],
    'DB+ICC+CC': ['cta.scheduler=distributed_block', 'cluster.merger=icc_cc'],
  };
  const records = new Map(json('a.json').points.map(p => [p.labels[0].design, p.record]));
  for (const r of hotspot) {
    r.detail = detail(sets[r.design], records.get(r.design));
    r.command += sets[r.design].map(s => ` --set ${s}`).join('');
  }
  write('hotspot', page('hotspot on clustered60', 'heddle compare hotspot --html hotspot.html', hotspot, []));

  configurations.length = 0;
  call('compare', '2dconv', 'lud', '--scale', 'tiny', '--perturbations', '2', '--store', at('b.db'));
  call('results', 'export', '--json', at('b.json'), '--store', at('b.db'));
  write(
    'several',
    page(
      '2dconv and lud on clustered60',
      'heddle compare 2dconv lud --perturbations 2 --html several.html',
      runs_of('b.json'),
      [],
    ),
  );

  configurations.length = 0;
  call(
    'study',
    'icc',
    '--scale',
    'tiny',
    '--workloads',
    'hotspot,2dconv,lud',
    '--figure',
    '10',
    '--store',
    at('c.db'),
    '--json',
    at('study.json'),
  );
  call('results', 'export', '--json', at('c.json'), '--store', at('c.db'));
  const table = json('study.json').tables.find(t => t.id === 'figure_10');
  const number = text => (/\d/.test(text) ? Number(text.replace(/[%,]/g, '')) : null);
  const groups = new Map();
  for (const row of table.rows) {
    const ends = row.range.split('..').map(number);
    const cell = {
      workload: row.workload,
      ours: number(row.ours),
      low: ends[0] ?? null,
      high: ends.at(-1) ?? null,
      paper: number(row.paper),
      verdict: row.verdict.replace(/ \(.*/, ''),
    };
    if (/count|benchmarks/.test(row.workload + row.compared)) continue;
    groups.set(row.compared, [...(groups.get(row.compared) ?? []), cell]);
  }
  const figure = {
    id: '10',
    title: 'IPC of the proposals',
    says: 'DB +4%, D+ICC and DB+ICC +10%, with the coalesced cache +15%, up to +67%',
    unit: '%',
    better: 'more',
    groups: [...groups].map(([compared, cells]) => ({compared, cells})),
    // A check needs further runs of the study: this one stands for them.
    checks: [{name: 'mean gain of 2x clocks', least: 25, most: 65, ours: 28.5, verdict: 'accepted'}],
  };
  const unperturbed = runs_of('c.json').filter(r => !r.perturbation);
  write(
    'study',
    page('Study icc at scale tiny', 'heddle study icc --scale tiny --html icc.html', unperturbed, [figure]),
  );
} finally {
  rmSync(work, {recursive: true});
}
