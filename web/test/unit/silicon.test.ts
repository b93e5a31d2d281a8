import assert from 'node:assert/strict';
import {test} from 'node:test';
import {domain} from '../../src/charts/scatter';
import {
  largestDifference,
  scatterOf,
  siliconSentence,
  stateBars,
  statesByProgram,
} from '../../src/views/silicon_sections';
import {load} from '../data';

const silicon = load('silicon').silicon!;
const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);

test('every launch is a point inside both axes', () => {
  const {points, groups} = scatterOf(silicon);
  const [low, high] = domain(points);
  assert.equal(points.length, silicon.launches.length);
  assert.equal(groups.length, new Set(silicon.launches.map(l => l.program)).size);
  assert.ok(points.every(p => p.x > low && p.x < high && p.y > low && p.y < high));
});

test('states of a program are those of its launches', () => {
  const all = statesByProgram(silicon);
  const bfs = all.find(p => p.program === 'bfs')!,
    own = silicon.launches.filter(l => l.program === 'bfs');
  assert.ok(own.length > 1);
  assert.equal(sum(bfs.theirs), sum(own.flatMap(l => l.states.theirs)));
  assert.equal(bfs.instructions, sum(own.map(l => l.instructions)));
});

test('bars: the card has 100%, and nothing that is shown is lost', () => {
  const bars = stateBars(silicon);
  bars.bars.forEach((b, i) => {
    assert.equal(b.name.endsWith(silicon.card), i % 2 === 0);
    b.segments.forEach((g, k) => assert.equal(g.from, k === 0 ? 0 : b.segments[k - 1]!.until));
    if (i % 2 === 0) assert.ok(Math.abs(b.segments[b.segments.length - 1]!.until - 1) < 0.03);
  });
});

test('the state that differs most', () => {
  const l = {...silicon.launches[0]!, warps: 2};
  const at = (n: number) => silicon.states.map((_, s) => (s === 3 ? n : 10));
  const d = largestDifference(silicon, {...l, states: {ours: at(40), theirs: at(90)}});
  assert.deepEqual(d, {state: silicon.states[3], ours: 20, theirs: 45});
});

test('the sentence says what the numbers say', () => {
  const a = {launches: 31, mean: 0.068, median: 0.054, p90: 0.136, correlation_of_logarithms: 0.99651};
  const said = siliconSentence({...silicon, accuracy: a});
  assert.match(said, /31 launches are 6\.8% off in the mean, beside those of an H200/);
  assert.match(said, /5\.4%.*13\.6%.*0\.9965\.$/);
});
