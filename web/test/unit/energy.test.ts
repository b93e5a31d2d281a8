import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {PageData} from '../../src/data';
import {available, changes, levels, metrics} from '../../src/metrics';
import {Model} from '../../src/model';
import {energies, energyBars, energySpec} from '../../src/views/energy_view';
import {load, withEnergy, withoutEnergy} from '../data';

const near = (a: number, b: number) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);

function shown(data: PageData) {
  const model = new Model(data),
    c = model.cases[0]!;
  return {model, c, all: energies(model, c.entries), bars: energyBars(model, c, energies(model, c.entries))};
}

function set(data: PageData, run: number, name: string, v: number | null): PageData {
  data.runs[run]!.stats[data.statistics.findIndex(s => s.name === name)] = v;
  return data;
}

test('the parts of a bar follow each other and add up to its total', () => {
  const {all, bars} = shown(withEnergy(load('hotspot')));
  assert.equal(bars.bars.length, 4);
  bars.bars.forEach((b, i) => {
    let at = 0;
    for (const g of b.segments) {
      near(g.from, at);
      at = g.until;
    }
    near(at, all[i]!.joules / all[0]!.joules);
  });
});

test('the baseline is 100%, and nothing stands beside it', () => {
  const [base, ...others] = shown(withEnergy(load('hotspot'))).bars.bars;
  near(base!.segments[base!.segments.length - 1]!.until, 1);
  assert.deepEqual(base!.beside, []);
  for (const b of others) assert.equal(b.beside.length, 3);
});

test('parts that are zero in all designs are left out, those of one design stay', () => {
  const {bars} = shown(withEnergy(load('hotspot')));
  assert.deepEqual(
    bars.parts.map(p => p.name),
    ['SMs', 'L1s', 'merging', 'networks', 'L2', 'DRAM', 'other'],
  );
  const merging = bars.bars.map(b => b.segments.filter(g => bars.parts[g.part]!.name === 'merging').length);
  assert.deepEqual(merging, [0, 0, 2, 2]);
});

test('a part has the same colour whatever the others take', () => {
  const data = withEnergy(load('hotspot'));
  const dram = () => shown(data).bars.parts.find(p => p.name === 'DRAM')!.colour;
  const before = dram();
  data.runs.forEach((_, i) => ['energy.l1', 'energy.l1_static'].forEach(name => set(data, i, name, 0)));
  assert.equal(dram(), before);
});

test('what a part tells: joules, share of the total, watts', () => {
  const {bars} = shown(withEnergy(load('hotspot')));
  assert.deepEqual(bars.bars[0]!.segments[1]!.tip, [
    'baseline: SMs, static',
    '1.94 mJ',
    "22.7% of the run's 8.56 mJ",
    '22.0 W on average',
  ]);
  assert.equal(bars.bars[0]!.total, '8.56 mJ, 97.0 W');
});

test('the table has every part of every design, and totals', () => {
  const {model, c, all} = shown(withEnergy(load('hotspot')));
  const [head, ...rows] = energySpec(model, c, c.entries)!.rows();
  assert.equal(
    rows.length,
    all.reduce((n, e) => n + e.shares.length + 1, 0),
  );
  for (const e of all) {
    const own = rows.filter(r => r[0] === e.entry.design);
    const sum = (column: number) => own.slice(0, -1).reduce((n, r) => n + (r[column] as number), 0);
    head!.slice(3).forEach((_, i) => near(sum(3 + i), own[own.length - 1]![3 + i] as number));
  }
});

test('nothing is shown without energy', () => {
  const model = new Model(withoutEnergy(load('hotspot'))),
    c = model.cases[0]!;
  assert.equal(energySpec(model, c, c.entries), null);
  assert.ok(!available(model).some(m => m.id === 'energy' || m.id === 'edp'));
});

test('a design without energy is left out; without that of the baseline there is no scale', () => {
  const without = (run: number) => {
    const model = new Model(set(withEnergy(load('hotspot')), run, 'energy.total', null));
    return energies(model, model.cases[0]!.entries).map(e => e.entry.design);
  };
  assert.deepEqual(without(1), ['baseline', 'DB+ICC', 'DB+ICC+CC']);
  assert.deepEqual(without(0), []);
});

test('one design alone is compared with nothing', () => {
  const model = new Model(withEnergy(load('hotspot'))),
    c = model.cases[0]!;
  const bars = energyBars(model, c, energies(model, c.entries.slice(0, 1)));
  assert.deepEqual(bars.columns, []);
});

test('energy and its product with time are metrics', () => {
  const {model, c} = shown(withEnergy(load('hotspot')));
  const [energy, edp] = ['energy', 'edp'].map(id => metrics.find(m => m.id === id)!);
  const text = (m: typeof energy) => m!.text(levels(model, m!, c.entries[0]!)!.mean);
  assert.equal(text(energy), '8.56 mJ');
  assert.equal(text(edp), '755 nJ s');
  const of = (m: typeof energy) => 1 + changes(model, m!, c, c.entries[2]!)!.mean;
  const speed = 1 + changes(model, metrics[0]!, c, c.entries[2]!)!.mean;
  near(of(edp), of(energy) / speed);
});
