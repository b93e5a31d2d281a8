import assert from 'node:assert/strict';
import {test} from 'node:test';
import {App} from '../../src/app';
import {parseData} from '../../src/data';
import {changes, levels, meanOver, metrics} from '../../src/metrics';
import {Model} from '../../src/model';
import {large, load} from '../data';

const speed = metrics[0]!;

test('designs of a case: the baseline first, perturbed runs with their design', () => {
  const model = new Model(load('several'));
  assert.deepEqual(
    model.cases.map(c => c.label),
    ['2dconv, tiny', 'lud, tiny'],
  );
  const c = model.cases[0]!;
  assert.deepEqual(
    c.entries.map(e => e.design),
    ['baseline', 'DB', 'DB+ICC', 'DB+ICC+CC'],
  );
  for (const e of c.entries) {
    assert.equal(e.runs.length, 3);
    assert.equal(e.run.perturbation, '');
  }
});

test('a change is computed within each perturbation', () => {
  const model = new Model(load('several')),
    c = model.cases[0]!,
    e = c.entries[2]!;
  const cycles = (r: typeof e.run) => model.stat(r, 'gpu.picoseconds')!;
  const each = e.runs.map(
    r => cycles(c.entries[0]!.runs.find(b => b.perturbation === r.perturbation)!) / cycles(r) - 1,
  );
  const x = changes(model, speed, c, e)!;
  assert.ok(Math.abs(x.mean - each.reduce((a, b) => a + b, 0) / 3) < 1e-12);
  assert.equal(x.low, Math.min(...each));
  assert.equal(x.high, Math.max(...each));
  assert.ok(x.low! < x.high!);
});

test('one run has no range', () => {
  const model = new Model(load('hotspot')),
    c = model.cases[0]!;
  const x = levels(model, speed, c.entries[0]!)!;
  assert.equal(x.mean, 123536);
  assert.equal(x.low, null);
});

test('metrics need their statistics', () => {
  const data = load('hotspot');
  data.runs[1]!.stats[data.statistics.findIndex(s => s.name === 'cluster.injected_reads')] = null;
  const model = new Model(data),
    c = model.cases[0]!;
  assert.equal(
    changes(
      model,
      metrics.find(m => m.id === 'network_reads')!,
      c,
      c.entries[1]!,
    ),
    null,
  );
});

test('means: geometric of ratios, arithmetic of levels, none when one is missing', () => {
  assert.ok(Math.abs(meanOver(speed, [1, -0.5])! - 0) < 1e-12);
  assert.equal(
    meanOver(
      metrics.find(m => m.id === 'l1_hit_rate')!,
      [0.2, 0.4],
    )!.toFixed(3),
    '0.300',
  );
  assert.equal(meanOver(speed, [0.1, null]), null);
});

test('runs that no comparison names are shown as well', () => {
  const data = load('hotspot');
  data.comparisons = [];
  const model = new Model(data);
  assert.equal(model.cases.length, 1);
  assert.equal(model.cases[0]!.entries.length, 4);
});

test('perturbed runs that no comparison names belong to their design', () => {
  const data = load('several');
  const perturbed = new Set(data.runs.filter(r => r.perturbation).map(r => r.id));
  for (const c of data.comparisons) c.runs = c.runs.filter(id => !perturbed.has(id));
  const model = new Model(data),
    whole = new Model(load('several'));
  assert.deepEqual(
    model.cases.map(c => c.entries.map(e => [e.design, e.runs.map(r => r.id).sort()])),
    whole.cases.map(c => c.entries.map(e => [e.design, e.runs.map(r => r.id).sort()])),
  );
});

test('a comparison may name its designs: runs are shared between studies', () => {
  const data = load('hotspot');
  data.comparisons[0]!.designs = ['plain', 'A', 'B', 'C'];
  assert.deepEqual(
    new Model(data).cases[0]!.entries.map(e => e.design),
    ['plain', 'A', 'B', 'C'],
  );
});

test('of many designs, those that are shown have colours of their own, and keep them', () => {
  const app = new App(large(30, 1, 300));
  const colours = () => app.entries.map(e => e.colour);
  assert.equal(colours()[0], 0);
  assert.equal(new Set(colours()).size, 5);
  app.chooseDesigns(['design 3', 'design 13', 'design 23']);
  const before = new Map(app.entries.map(e => [e.design, e.colour]));
  assert.equal(new Set(before.values()).size, 4);
  app.chooseDesigns(['design 1', 'design 13', 'design 23', 'design 29']);
  for (const e of app.entries) if (before.has(e.design)) assert.equal(e.colour, before.get(e.design), e.design);
  assert.equal(new Set(colours()).size, 5);
});

test('runs that several studies share have the names of the study that they have in common', () => {
  const data = load('hotspot');
  const names = ['D', 'DB', 'D+ICC', 'DB+ICC'];
  data.runs.forEach((r, i) => {
    const study = {study: 'icc', design: names[i]!, perturbation: ''};
    r.labels = i === 2 ? [{study: 'compare', design: 'D', perturbation: ''}, study] : [study];
    r.design = r.labels[0]!.design;
  });
  assert.deepEqual(
    new Model(data).cases[0]!.entries.map(e => e.design),
    names,
  );
});

test('cases with the same name keep keys of their own', () => {
  const data = load('hotspot');
  data.comparisons.push({...data.comparisons[0]!});
  assert.equal(new Set(new Model(data).cases.map(c => c.key)).size, 2);
});

test('data that cannot be shown is refused with a reason', () => {
  assert.throws(() => parseData(''), /no data in it/);
  assert.throws(() => parseData('{"schema": "heddle.page/1", '), /cut off/);
  assert.throws(() => parseData('{"schema": "heddle.page/9"}'), /heddle.page\/9/);
});
