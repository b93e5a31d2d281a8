import assert from 'node:assert/strict';
import {test} from 'node:test';
import {between, layout, leftAt, parts, type Scale} from '../../src/funnel/layout';
import {designSentence, fewer, redundancySentences} from '../../src/funnel/words';
import {Model} from '../../src/model';
import {load} from '../data';

const data = load('hotspot');
const {levels, places} = data.funnel;
const funnels = data.runs.map(r => r.funnel!);
const near = (a: number, b: number) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);

test('the data itself: what a place removes is what comes less what goes on', () => {
  for (const f of funnels)
    places.forEach((p, i) =>
      assert.equal(
        f.removed[i]!.reduce((a, x) => a + x.count, 0),
        f.count[p.in]! - f.count[p.out]!,
      ),
    );
});

for (const scale of ['one', 'place', 'baseline'] as Scale[]) {
  test(`segments of a bar follow each other and add up (${scale})`, () => {
    for (const c of layout(levels, places, funnels, funnels[0]!, scale)) {
      for (const bar of c.bars) {
        assert.equal(
          bar.segments.reduce((a, g) => a + g.count, 0),
          bar.in,
        );
        let at = 0;
        for (const g of bar.segments) {
          near(g.from, at);
          at = g.until;
        }
        near(bar.length, at);
        assert.ok(at <= 1 + 1e-9);
      }
    }
  });
}

test('one scale: lengths are in proportion to counts, over places and designs', () => {
  const columns = layout(levels, places, funnels, funnels[0]!, 'one');
  const most = Math.max(...columns.flatMap(c => c.bars.map(b => b.in)));
  for (const c of columns) for (const b of c.bars) near(b.length, b.in / most);
});

test('each place 100%: every bar is full', () => {
  for (const c of layout(levels, places, funnels, funnels[0]!, 'place')) for (const b of c.bars) near(b.length, 1);
});

test('against the baseline: lengths compare with the dotted line', () => {
  const columns = layout(levels, places, funnels, funnels[0]!, 'baseline');
  columns[0]!.bars.forEach(b => near(b.length, b.reference!));
  columns[2]!.bars.forEach((b, i) =>
    near(b.length / b.reference!, funnels[2]!.count[places[i]!.in]! / funnels[0]!.count[places[i]!.in]!),
  );
});

test('what is left is what could merge less what was removed, never negative, null where nobody looked', () => {
  const f = {count: [100, 80], could: [50, null], removed: [[{by: 'x', count: 20}]]};
  assert.equal(leftAt({name: 'p', in: 0, out: 1}, 0, f), 30);
  assert.equal(leftAt({name: 'p', in: 0, out: 1}, 0, {...f, could: [5, null]}), 0);
  assert.equal(leftAt({name: 'p', in: 0, out: 1}, 0, {...f, could: [null, null]}), null);
});

test('what a place adds itself goes on, beside what came', () => {
  const f = {
    count: [100, 110],
    could: [null, null],
    removed: [[{by: 'hits', count: 20}]],
    added: [[{by: 'prefetcher', count: 30}]],
  };
  const bar = layout(levels, [{name: 'p', in: 0, out: 1}], [f], f, 'one')[0]!.bars[0]!;
  assert.deepEqual(
    bar.segments.map(g => [g.kind, g.count]),
    [
      ['on', 80],
      ['added', 30],
      ['removed', 20],
    ],
  );
  near(bar.onUntil, 110 / 130);
  near(bar.length, 1);
});

test('a run without a single request draws nothing and does not fail', () => {
  const empty = {count: levels.map(() => 0), could: levels.map(() => null), removed: places.map(() => [])};
  for (const scale of ['one', 'place', 'baseline'] as Scale[]) {
    assert.ok(
      layout(levels, places, [empty], empty, scale)[0]!.bars.every(b => b.segments.length === 0 && b.length === 0),
    );
  }
});

test('parts are named in the order of the places, and their colours do not depend on what other designs have', () => {
  assert.deepEqual(
    parts(places, funnels)
      .slice(0, 3)
      .map(p => p.name),
    ['L1 hits', 'L1 MSHRs', 'merge table'],
  );
  const colour = (of: typeof funnels, name: string) => parts(places, of).find(p => p.name === name)!.colour;
  for (const p of parts(places, [funnels[0]!])) assert.equal(p.colour, colour(funnels, p.name), p.name);
  const all = parts(places, funnels).map(p => p.colour);
  assert.equal(new Set(all).size, all.length);
});

test('a part that removed nothing is not named, and takes its colour all the same', () => {
  const f = {
    count: [10, 4],
    could: [null, null],
    removed: [
      [
        {by: 'a', count: 0},
        {by: 'b', count: 6},
      ],
    ],
  };
  assert.deepEqual(parts([{name: 'p', in: 0, out: 1}], [f]), [{name: 'b', colour: 1}]);
});

test('what happens between places is told only where a count changes', () => {
  assert.equal(between(levels, funnels[0]!, 5, 6), null);
  assert.match(between(levels, funnels[0]!, 0, 1)!, /^10\.8 become 1 \(intra-warp coalescing\)$/);
});

test('sentences have the numbers of heddle compare', () => {
  const model = new Model(data),
    c = model.cases[0]!;
  const s = designSentence(model, c, c.entries[2]!);
  assert.match(s, /^51\.3% faster; 41\.9% fewer NoC packets; /);
  assert.match(s, /the clusters' ports absorb 18\.9% of what comes to them \(merge table; none in baseline\)/);
  assert.deepEqual(redundancySentences(model, c.entries[0]!), [
    'Most is removed by L2 hits: 116,273 requests, 67.9% of all line requests.',
    "Most is left at the clusters' ports: 74,762 of 135,360 could still have been merged and were not.",
  ]);
});

test('more, fewer, as many', () => {
  assert.equal(fewer(100, 92), '8.0% fewer');
  assert.equal(fewer(100, 130), '30.0% more');
  assert.equal(fewer(10000, 10001), 'as many');
  assert.equal(fewer(0, 3), null);
});
