import assert from 'node:assert/strict';
import {test} from 'node:test';
import {readout, sampleAt, type TimeChart} from '../../src/charts/lines';
import {TimeAxis} from '../../src/charts/time_axis';
import {contrast, dark, light, mix} from '../../src/theme';
import {differences, keysOf} from '../../src/toml_keys';
import {lanes} from '../../src/views/cta_view';
import {barsOf, tally} from '../../src/views/study_view';
import {sorted} from '../../src/views/table';
import {load} from '../data';

// What the axis tells is told in the next frame; tests need none.
(globalThis as {requestAnimationFrame?: unknown}).requestAnimationFrame = (f: () => void) => f();

for (const paint of [light, dark]) {
  test(`${paint.name}: text has a contrast of 4.5, marks of 3`, () => {
    for (const c of [paint.ink, paint.muted, paint.good, paint.bad])
      assert.ok(contrast(c, paint.background) >= 4.5, `${c} on ${paint.background}`);
    assert.ok(contrast(paint.ink, paint.ribbon) >= 4.5 && contrast(paint.muted, paint.ribbon) >= 4.5);
    for (const c of [paint.flow, paint.could, paint.paper, ...paint.designs, ...paint.parts])
      assert.ok(contrast(c, paint.background) >= 3, `${c}: ${contrast(c, paint.background)}`);
  });
  test(`${paint.name}: parts that lie beside each other differ in lightness`, () => {
    for (let i = 0; i < paint.parts.length; i += 2)
      assert.ok(contrast(paint.parts[i]!, paint.parts[i + 1]!) >= 1.5, `${i}`);
  });
}

test('contrast is as WCAG has it', () => {
  assert.equal(contrast('#000000', '#ffffff'), 21);
  assert.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48');
  assert.equal(mix('#000000', '#ffffff', 0.5), '#808080');
});

test('keys of a configuration, and what differs', () => {
  const a = '[cluster]\nmerger = "plain"\n\n[cluster.icc]\nentries = 48\n',
    b = a.replace('"plain"', '"icc"').replace('48', '48\nlatency = 1');
  assert.deepEqual(
    [...keysOf(a)],
    [
      ['cluster.merger', '"plain"'],
      ['cluster.icc.entries', '48'],
    ],
  );
  assert.deepEqual(differences([a, b]), [
    {key: 'cluster.icc.latency', values: [null, '1']},
    {key: 'cluster.merger', values: ['"plain"', '"icc"']},
  ]);
  assert.deepEqual(differences([a, a]), []);
});

test('real configurations: every line is understood, and designs differ in what they set', () => {
  const {configurations} = load('hotspot');
  for (const c of configurations) assert.ok(![...keysOf(c).keys()].some(k => / line \d/.test(k)));
  assert.deepEqual(
    differences(configurations).map(d => d.key),
    ['cluster.merger', 'cta.scheduler'],
  );
});

test('the sample that has a cycle', () => {
  const c = {name: '', colour: 0, from: [0, 10, 30], until: [10, 20, 40], values: [1, 2, 3]};
  assert.deepEqual(
    [0, 9, 10, 25, 39, 40].map(x => sampleAt(c, x)),
    [0, 0, 1, -1, 2, -1],
  );
  const chart: TimeChart = {
    panels: [{name: '', curves: [{...c, name: 'DB'}]}],
    stacked: false,
    unit: 'per cycle',
    share: false,
    domain: [0, 40],
  };
  assert.deepEqual(readout(chart, 'IPC', 12), ['IPC, cycle 12', 'DB: 2']);
});

test('the time axis stays inside the run, and keeps the centre when it zooms', () => {
  const axis = new TimeAxis(1000);
  axis.zoom(0.5, 200);
  assert.deepEqual(axis.domain, [100, 600]);
  axis.pan(-5000);
  assert.deepEqual(axis.domain, [0, 500]);
  axis.pan(5000);
  assert.deepEqual(axis.domain, [500, 1000]);
  axis.zoom(100);
  assert.deepEqual(axis.domain, [0, 1000]);
  assert.equal(axis.zoomed, false);
});

test('CTAs of one SM never lie on each other', () => {
  const c = load('hotspot').runs[0]!.detail!.ctas!,
    l = lanes(c);
  const ends = new Map<string, number>();
  for (const i of [...c.from.keys()].sort((a, b) => c.from[a]! - c.from[b]!)) {
    const key = `${c.sm[i]} ${l.lane[i]}`;
    assert.ok((ends.get(key) ?? 0) <= c.from[i]!);
    ends.set(key, c.until[i]!);
    assert.ok(l.lane[i]! < l.of);
  }
});

test('bars of a figure: every number once, summaries last', () => {
  const f = load('study').figures[0]!,
    bars = barsOf(f);
  assert.equal(
    bars.groups.flatMap(g => g.bars).filter(Boolean).length,
    f.groups.reduce((n, g) => n + g.cells.length, 0),
  );
  const first = bars.groups.findIndex(g => g.summary);
  assert.ok(first > 0 && bars.groups.slice(first).every(g => g.summary));
  assert.equal(bars.paper, true);
});

test('sorting: numbers as numbers, what is not there last both ways', () => {
  const rows = [{v: 10}, {v: null}, {v: 9}];
  const column = {name: 'v', value: (r: {v: number | null}) => r.v};
  assert.deepEqual(
    sorted(rows, column, false).map(r => r.v),
    [9, 10, null],
  );
  assert.deepEqual(
    sorted(rows, column, true).map(r => r.v),
    [10, 9, null],
  );
});

test("a study's score counts independent numbers only", () => {
  const cell = (paper: number | null, verdict: string, counts?: boolean) => ({
    workload: 'HS',
    ours: 1,
    low: null,
    high: null,
    paper,
    verdict,
    ...(counts === undefined ? {} : {counts}),
  });
  const cells = [
    cell(4, 'reproduced', true),
    cell(5, 'opposite', true),
    cell(4, 'reproduced', false),
    cell(6, 'reproduced'),
    cell(null, '=', false),
  ];
  const figure = {
    id: '1',
    title: '',
    says: '',
    unit: '%',
    better: 'more',
    groups: [{compared: 'A vs B', cells}],
    checks: [],
  };
  assert.deepEqual(tally([figure]), {
    verdicts: [
      ['opposite', 1],
      ['reproduced', 2],
    ],
    apart: 1,
  });
});
