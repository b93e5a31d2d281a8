// The page of `heddle validate silicon` in a real browser.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {load} from '../data';
import {Chromium, scrollThrough} from './page';

const chromium = new Chromium();
before(() => chromium.start());
after(() => chromium.stop());

test('every launch tells its name and cycles; both sides of every program have a bar', async () => {
  const data = load('silicon'),
    silicon = data.silicon!;
  const {page} = await chromium.show(data);
  await scrollThrough(page);
  const tips = (chart: string) =>
    page.$$eval(`[data-chart="${chart}"] .mark`, all => all.map(m => m.getAttribute('data-tip')!));
  const points = await tips('silicon-cycles');
  assert.equal(points.length, silicon.launches.length);
  for (const l of silicon.launches)
    assert.ok(
      points.some(t => t.startsWith(`${l.program} ${l.detail}\n${l.cycles.ours.toLocaleString('en')} cycles here`)),
      `${l.program} ${l.detail}`,
    );
  const bars = await tips('silicon-states');
  for (const program of new Set(silicon.launches.map(l => l.program)))
    for (const on of [silicon.card, 'Heddle'])
      assert.ok(bars.some(t => t.startsWith(`${program} on ${on}: long_scoreboard\n`)));
  assert.equal(await page.$$eval('[data-table="launches"] tbody tr', rows => rows.length), silicon.launches.length);
  const figures = await page.evaluate(() => window.heddle!.figures().map(f => f.name));
  assert.deepEqual(figures, ['silicon-cycles', 'silicon-states']);
  await page.close();
});
