// The page of `heddle noc` in a real browser.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import type {Page} from 'puppeteer-core';
import {usualRate} from '../../src/noc/loads';
import {load} from '../data';
import {Chromium, scrollThrough} from './page';

const chromium = new Chromium();
before(() => chromium.start());
after(() => chromium.stop());

const tips = (page: Page, chart: string) =>
  page.$$eval(`[data-chart="${chart}"] .mark`, all => all.map(m => m.getAttribute('data-tip')!));

// Charts that are far from the window are drawn when they come near.
async function toNetwork(page: Page): Promise<void> {
  await page.$eval('#network', e => e.scrollIntoView());
  await page.waitForSelector('#network .chart:last-child .mark');
  await page.evaluate(() => new Promise(done => setTimeout(done, 100)));
}

test('every rate of every network has its numbers in both charts; what does not keep up is hollow', async () => {
  const {noc} = load('networks');
  const {page} = await chromium.show(load('networks'));
  await scrollThrough(page);
  for (const chart of ['load-latency', 'load-accepted']) {
    const said = await tips(page, chart);
    for (const c of noc!.curves) {
      for (const p of c.points) {
        const tip = said.find(t => t.startsWith(`${c.name}: ${p.offered.toFixed(3)} offered\n`));
        assert.ok(tip?.includes(`${p.accepted.toFixed(3)} accepted`), `${c.name} ${p.offered}`);
        assert.equal(tip?.includes('does not keep up'), !p.keeps_up);
      }
      assert.ok(said.some(t => t.startsWith(`${c.name}: saturation at ${c.saturation!.toFixed(3)}`)));
    }
    const fills = await page.$$eval(`[data-chart="${chart}"] .mark[data-tip*=" offered"]`, all =>
      all.map(m => [m.getAttribute('fill') === '#ffffff', m.getAttribute('data-tip')!.includes('does not keep up')]),
    );
    assert.ok(fills.some(([hollow]) => hollow));
    assert.ok(fills.every(([hollow, behind]) => hollow === behind));
  }
  await page.close();
});

test('logarithmic latency has room for all, linear has arrows', async () => {
  const {page} = await chromium.show(load('mesh'));
  await page.waitForSelector('[data-chart="load-latency"] .mark');
  const arrows = () =>
    page.$$eval(
      '[data-chart="load-latency"] path.mark',
      all => all.filter(m => m.getAttribute('d')!.startsWith('M0 -6')).length,
    );
  assert.ok((await arrows()) > 0);
  await page.click('#latency-log');
  assert.equal(await arrows(), 0);
  await page.close();
});

test('the floor shows every router and every link with its load, at the rate that was chosen', async () => {
  const data = load('mesh'),
    c = data.noc!.curves[0]!;
  const {page} = await chromium.show(data);
  await scrollThrough(page);
  await toNetwork(page);
  const shows = async (index: number) => {
    const p = c.points[index]!,
      said = await tips(page, 'links');
    assert.equal(said.length, c.links.length + c.floor!.width * c.floor!.height);
    c.links.forEach((l, i) =>
      assert.ok(
        said.includes(
          `${l.name}, to router ${l.to}\n${(p.link_flits[i]! / p.network_cycles).toFixed(3)} flits per network cycle`,
        ),
        l.name,
      ),
    );
  };
  await shows(usualRate(c));
  assert.ok(c.points[usualRate(c)]!.keeps_up && !c.points[usualRate(c) + 1]!.keeps_up);
  await page.select('#network-rate', '0');
  await shows(0);
  const said = await tips(page, 'links');
  assert.ok(said.some(t => t.startsWith('router 0: cores 0 to 1\n')));
  assert.ok(said.some(t => t.startsWith('router 3: slice 0\n')));
  assert.ok(said.some(t => t.startsWith('router 35: nothing stands here\n')));
  await page.close();
});

test('arrow keys go over the floor, and no two marks are at one place', async () => {
  const {page} = await chromium.show(load('mesh'));
  await scrollThrough(page);
  await toNetwork(page);
  const places = await page.$$eval('[data-chart="links"] .mark', all =>
    all.map(m => `${m.getAttribute('data-row')} ${m.getAttribute('data-column')}`),
  );
  assert.equal(new Set(places).size, places.length);
  await page.$eval('[data-chart="links"] .mark[tabindex="0"]', m => (m as SVGElement).focus());
  const heads: string[] = [];
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowDown'] as const) {
    await page.keyboard.press(key);
    heads.push(await page.evaluate(() => document.activeElement!.getAttribute('data-tip')!.split('\n')[0]!));
  }
  assert.deepEqual(heads, [
    'router 0 east, to router 1',
    'router 1 west, to router 0',
    'router 1: cores 2 to 3',
    'router 1 south, to router 7',
  ]);
  await page.close();
});

test('networks without a floor have lists of their links and outputs', async () => {
  const data = load('networks');
  const {page, complaints} = await chromium.show(data);
  await scrollThrough(page);
  await toNetwork(page);
  const charts = () =>
    page.$$eval('#network .chart', all =>
      all.map(c => [c.getAttribute('data-chart'), c.querySelectorAll('.mark').length]),
    );
  assert.deepEqual(await charts(), [
    ['links-topology-mesh', 48 + 16],
    ['outputs-topology-mesh', 16],
  ]);
  await page.select('#network-curve', '1');
  await page.waitForSelector('[data-chart="links-topology-ring"] .mark');
  await toNetwork(page);
  assert.deepEqual(await charts(), [
    ['links-topology-ring', 16],
    ['outputs-topology-ring', 16],
  ]);
  await page.select('#network-curve', '2');
  await page.waitForSelector('[data-chart="outputs-topology-crossbar"] .mark');
  assert.deepEqual(await charts(), [['outputs-topology-crossbar', 16]]);
  assert.deepEqual(complaints, []);
  await page.close();
});

test('the command, the traffic and every configuration are on the page; figures are files', async () => {
  const data = load('networks');
  const {page} = await chromium.show(data);
  await scrollThrough(page);
  const text = await page.$eval('#provenance', e => e.textContent!);
  assert.ok(text.includes(data.made.command) && text.includes('uniform, packets of 1 flit, seed 1'));
  for (const c of data.configurations) assert.ok(text.includes(c));
  const names = await page.evaluate(() => window.heddle!.figures().map(f => f.name));
  assert.deepEqual(names, [
    'load-latency',
    'load-accepted',
    ...['mesh', 'ring'].flatMap(t => [`links-topology-${t}`, `outputs-topology-${t}`]),
    'outputs-topology-crossbar',
  ]);
  await page.close();
});
