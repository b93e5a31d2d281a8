import assert from 'node:assert/strict';
import {test} from 'node:test';
import {labelRows, latencyDomain} from '../../src/charts/load_curve';
import {busiestLinks, highest, load as loadOf, shortly, standing, stands, usualRate} from '../../src/noc/loads';
import {loadSentence} from '../../src/views/load_view';
import {load} from '../data';

const noc = load('mesh').noc!,
  mesh = noc.curves[0]!;

test('the first rate shown is the last that keeps up, or the lowest', () => {
  assert.equal(usualRate(mesh), mesh.points.length - 3);
  assert.equal(usualRate({...mesh, points: mesh.points.map(p => ({...p, keeps_up: false}))}), 0);
});

test('what flows into a router flows out of it, but for what is on its way', () => {
  const p = mesh.points[0]!,
    balance = stands(mesh).map(at => -at.receivers.reduce((sum, o) => sum + p.output_flits[o]!, 0));
  mesh.links.forEach((l, i) => {
    balance[l.to]! += p.link_flits[i]!;
    balance[l.from]! -= p.link_flits[i]!;
  });
  stands(mesh).forEach((at, r) => {
    const sends = at.senders.length > 0 ? at.senders.length * p.offered * p.network_cycles : 0;
    assert.ok(Math.abs(balance[r]! + sends) <= 6 + 4 * Math.sqrt(sends), `router ${r}: ${balance[r]} ${sends}`);
  });
});

test('busiest links: most first, on a scale that no rate exceeds', () => {
  for (const p of mesh.points) {
    const all = busiestLinks(mesh, p, 1000);
    assert.equal(all.length, mesh.links.length);
    assert.ok(all.every((l, i) => i === 0 || l.flits <= all[i - 1]!.flits));
    assert.ok(loadOf(p, all[0]!.flits) <= highest(noc, 'link_flits'));
  }
});

test('who stands where', () => {
  assert.deepEqual(standing(mesh, stands(mesh)[0]!), ['cores 0 to 1']);
  assert.deepEqual(standing(mesh, stands(mesh)[3]!), ['slice 0']);
  assert.deepEqual(standing(mesh, stands(mesh)[35]!), []);
  const tiled = load('networks').noc!.curves[0]!;
  assert.deepEqual(standing(tiled, stands(tiled)[5]!), ['node 5']);
  assert.deepEqual(['core 3', 'cores 4 to 7', 'slices 1, 5'].map(shortly), ['C3', 'C4\u20137', 'S1\u2026']);
});

test('labels of saturation do not cover each other', () => {
  const at = [10, 30, 55, 100].map(x => ({from: x - 12, until: x + 12}));
  assert.deepEqual(labelRows(at), [0, 1, 0, 0]);
});

test('the axis of latency ends at what keeps up, or at eight times zero load', () => {
  assert.equal(latencyDomain({curves: [mesh], log: false})[1], 8 * mesh.zero_load_latency);
  const [low, high] = latencyDomain({curves: [mesh], log: true});
  assert.ok(mesh.points.every(p => p.latency > low && p.p99 < high));
});

test('the sentence says what the numbers say', () => {
  const said = loadSentence(mesh);
  assert.match(said, /^26\.3 cycles at zero load\. At 0\.100 /);
  assert.ok(said.includes(mesh.saturation!.toFixed(3)) && said.includes('left out'));
});
