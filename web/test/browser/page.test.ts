// The page in a real browser, on real data.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import type {Page} from 'puppeteer-core';
import {count, inUnit, share, si} from '../../src/format';
import {load, withEnergy, withoutEnergy} from '../data';
import {Chromium, goTo, scrollThrough} from './page';

const chromium = new Chromium();
before(() => chromium.start());
after(() => chromium.stop());

const text = (page: Page, selector: string) => page.$eval(selector, e => e.textContent ?? '');
const fixtures = ['hotspot', 'several', 'study', 'networks', 'mesh'] as const;

for (const name of fixtures) {
  test(`${name}: nothing complains, nothing is loaded, every chart has marks`, async () => {
    const {page, complaints} = await chromium.show(load(name));
    await scrollThrough(page);
    const charts = await page.$$eval('.chart', all =>
      all.map(c => ({
        name: c.getAttribute('data-chart'),
        svg: c.querySelectorAll('.drawing svg').length,
        shapes:
          c.querySelectorAll('.mark').length +
          [...c.querySelectorAll('path.line, path.area')].filter(p => p.getAttribute('d')).length +
          [...c.querySelectorAll<HTMLCanvasElement>('canvas.spans')].filter(x =>
            x
              .getContext('2d')!
              .getImageData(0, 0, x.width, x.height)
              .data.some(v => v > 0),
          ).length,
      })),
    );
    assert.equal(
      charts.length,
      {hotspot: 23, several: 24, study: 4, networks: 4, mesh: 4}[name],
      JSON.stringify(charts),
    );
    for (const c of charts) assert.ok(c.svg === 1 && c.shapes > 0, JSON.stringify(c));
    assert.equal(new Set(charts.map(c => c.name)).size, charts.length);
    assert.deepEqual(complaints, []);
    await page.close();
  });
}

test('numbers of the funnel are those of the data', async () => {
  const data = load('hotspot');
  const {page} = await chromium.show(data);
  await goTo(page, 'funnel');
  const said = await page.$$eval('#funnel .mark', all => all.map(m => m.getAttribute('data-tip') ?? ''));
  const shown = await text(page, '#funnel .drawing');
  for (const r of data.runs) {
    data.funnel.places.forEach((p, i) => {
      assert.ok(shown.includes(count(r.funnel!.count[p.in])), `${r.design}: ${p.name}`);
      for (const part of r.funnel!.removed[i]!) {
        const tip = said.find(t => t.startsWith(`${r.design}: ${part.by}\n`));
        assert.ok(
          tip?.includes(`${count(part.count)} of the ${count(r.funnel!.count[p.in])}`),
          `${r.design} ${part.by}: ${tip}`,
        );
        assert.ok(tip?.includes(share(part.count / r.funnel!.count[p.in]!)));
      }
    });
    assert.ok(shown.includes(count(r.funnel!.count[10])));
  }
  await page.close();
});

test('where nobody measured what could merge, the picture says so', async () => {
  const data = load('hotspot');
  for (const r of data.runs) r.funnel!.could = r.funnel!.could.map(() => null);
  const {page, complaints} = await chromium.show(data);
  await goTo(page, 'funnel');
  const shown = await text(page, '#funnel .drawing');
  assert.ok(
    !/could still (have been )?merge[ d]/.test(shown.replace(/What could still have been merged was not measured/, '')),
    shown,
  );
  assert.match(shown.replace(/\s+/g, ' '), /was not measured \(measure\.funnel\)/);
  assert.deepEqual(complaints, []);
  await page.close();
});

test('lengths in the picture are in proportion to the counts; the switch changes them', async () => {
  const data = load('hotspot'),
    p = data.funnel.places[2]!;
  const {page} = await chromium.show(data);
  await goTo(page, 'funnel');
  const lengths = () =>
    page.$$eval('#funnel .mark[data-row="3"]', all => {
      const out: Record<string, number> = {};
      for (const m of all) {
        const design = (m.getAttribute('data-tip') ?? '').split(':')[0]!;
        out[design] = (out[design] ?? 0) + Number(m.getAttribute('width'));
      }
      return out;
    });
  const one = await lengths();
  const expected = data.runs[3]!.funnel!.count[p.in]! / data.runs[0]!.funnel!.count[p.in]!;
  assert.ok(Math.abs(one['DB+ICC+CC']! / one.baseline! - expected) < 0.02, JSON.stringify(one));
  await page.click('#scale-place');
  const place = await lengths();
  assert.ok(Math.abs(place['DB+ICC+CC']! / place.baseline! - 1) < 0.02, JSON.stringify(place));
  await page.click('#scale-baseline');
  const base = await lengths();
  assert.ok(Math.abs(base['DB+ICC+CC']! / base.baseline! - expected) < 0.02, JSON.stringify(base));
  await page.close();
});

test('the table of designs and the statistics have the numbers of the data', async () => {
  const data = load('hotspot');
  const {page} = await chromium.show(data);
  const rows = await page.$$eval('[data-table="designs"] tbody tr', all =>
    all.map(r => [...r.children].map(c => c.textContent)),
  );
  const cycles = data.statistics.findIndex(s => s.name === 'gpu.cycles');
  assert.deepEqual(
    rows.map(r => r.slice(0, 2)),
    data.runs.map(r => [r.design, count(r.stats[cycles])]),
  );
  await page.$eval('#statistics', e => e.scrollIntoView());
  await page.waitForSelector('#statistics-filter');
  for (const name of ['l1.global_reads_hits', 'merger.merged_share', 'l1.miss_latency.mean']) {
    await page.$eval(
      '#statistics-filter',
      (e, v) => {
        (e as HTMLInputElement).value = v;
        e.dispatchEvent(new Event('input'));
      },
      name,
    );
    const cells = await page.$$eval('[data-table="statistics"] tbody tr:first-child td.number', all =>
      all.map(c => c.firstChild?.textContent),
    );
    const i = data.statistics.findIndex(s => s.name === name);
    cells.forEach((c, k) =>
      assert.ok(
        Math.abs(Number(c!.replace(/,/g, '')) - data.runs[k]!.stats[i]!) <= 0.0006 * Math.abs(data.runs[k]!.stats[i]!),
        `${name} ${c}`,
      ),
    );
    assert.equal(cells.length, 4);
    assert.ok((await text(page, '[data-table="statistics"] tbody tr:first-child')).includes(data.statistics[i]!.about));
  }
  await page.close();
});

test('a change that is not larger than the range of the runs is no change', async () => {
  const data = load('several');
  const {page} = await chromium.show(data);
  await page.select('#workload', 'lud, tiny');
  await page.waitForFunction(() => document.querySelector('#short')?.textContent?.includes('Input of lud'));
  const cells = await page.$$eval('[data-table="designs"] tbody tr:nth-child(2) td', all =>
    all.map(c => c.textContent!),
  );
  assert.match(cells.join('\n'), /^= /m);
  assert.match(cells[3]!, /^\u2212\d/); // its NoC reads
  await page.close();
});

test('sorting: a click on a head sorts, a second one turns it round', async () => {
  const {page} = await chromium.show(load('hotspot'));
  const first = () => text(page, '[data-table="designs"] tbody tr:first-child th');
  assert.equal(await first(), 'baseline');
  await page.click('#designs-sort-0');
  await page.click('#designs-sort-0');
  assert.equal(await first(), 'DB+ICC+CC');
  assert.equal(await page.$eval('[data-table="designs"] thead th', e => e.getAttribute('aria-sort')), 'descending');
  await page.close();
});

test('energy: lengths are in proportion to joules, and the numbers of every part are told', async () => {
  const data = withEnergy(load('hotspot'));
  const {page, complaints} = await chromium.show(data);
  await goTo(page, 'energy');
  const marks = await page.$$eval('#energy .mark', all =>
    all.map(m => ({
      tip: m.getAttribute('data-tip')!.split('\n'),
      row: Number(m.getAttribute('data-row')),
      end: Number(m.getAttribute('x')) + Number(m.getAttribute('width')),
    })),
  );
  const stat = (run: number, name: string) =>
    data.runs[run]!.stats[data.statistics.findIndex(s => s.name === `energy.${name}`)]!;
  const ends = data.runs.map((_, i) => Math.max(...marks.filter(m => m.row === i).map(m => m.end)));
  ends.forEach((end, i) => assert.ok(Math.abs(end / ends[0]! - stat(i, 'total') / stat(0, 'total')) < 0.01, `${i}`));
  const dram = marks.find(m => m.tip[0] === 'DB+ICC: DRAM, dynamic')!;
  assert.deepEqual(dram.tip.slice(1), [
    si(stat(2, 'dram') / 1e12, 'J'),
    `${share(stat(2, 'dram') / stat(2, 'total'))} of the run's ${si(stat(2, 'total') / 1e12, 'J')}`,
    '15.4 W on average',
  ]);
  assert.equal(await page.$$eval('nav a[href="#energy"]', all => all.length), 1);
  assert.ok((await page.evaluate(() => window.heddle!.figures().map(f => f.name))).includes('energy-hotspot-small'));
  assert.deepEqual(complaints, []);
  await page.close();
});

test('without energies there is no word of them', async () => {
  const {page} = await chromium.show(withoutEnergy(load('hotspot')));
  await scrollThrough(page);
  assert.equal(await page.$('#energy'), null);
  assert.ok(!/energy|EDP/i.test(await text(page, '[data-table="designs"]')));
  await page.close();
});

test('bars of a figure: ours, range, paper and verdict of every cell', async () => {
  const data = load('study'),
    f = data.figures.find(x => x.id === '10')!;
  const {page} = await chromium.show(data);
  await page.$eval('#figures', e => e.scrollIntoView());
  await page.waitForSelector('#figures .mark');
  const tips = await page.$$eval('#figures .mark', all => all.map(m => m.getAttribute('data-tip')!.split('\n')));
  for (const g of f.groups) {
    for (const c of g.cells) {
      const tip = tips.find(t => t[0] === `${c.workload}: ${g.compared}`);
      assert.ok(tip, `${c.workload} ${g.compared}`);
      if (c.ours !== null) assert.ok(tip.includes(`ours ${inUnit(c.ours, '%')}`), tip.join());
      if (c.paper !== null) assert.ok(tip.includes(`paper ${inUnit(c.paper, '%')}`), tip.join());
      if (c.verdict) assert.ok(tip.includes(c.verdict), tip.join());
    }
  }
  const papers = data.figures.flatMap(x => x.groups.flatMap(g => g.cells)).filter(c => c.paper !== null).length;
  // And one in each legend.
  assert.equal(
    await page.$$eval('#figures svg line[stroke-width="2.5"]', all => all.length),
    papers + data.figures.length,
  );
  await page.close();
});

test('differences of the configurations, key by key, and the commands', async () => {
  const data = load('hotspot');
  const {page} = await chromium.show(data);
  await page.$eval('#provenance', e => e.scrollIntoView());
  await page.waitForSelector('[data-table="differences"]');
  const rows = await page.$$eval('[data-table="differences"] tbody tr', all =>
    all.map(r => [...r.children].map(c => c.textContent)),
  );
  assert.deepEqual(rows[0], ['cluster.merger', '"plain"', '"plain"', '"icc"', '"icc_cc"']);
  assert.equal(rows.length, 2);
  const all = await text(page, '#provenance');
  for (const r of data.runs) assert.ok(all.includes(r.command) && all.includes(r.input) && all.includes(r.source));
  await page.close();
});

test('choosing designs and workloads changes what is shown', async () => {
  const {page} = await chromium.show(load('study'));
  await page.select('#workload', 'lud, tiny');
  await page.waitForFunction(() => document.querySelector('#short')?.textContent?.includes('Input of lud'));
  await page.click('#designs-summary');
  assert.equal(await text(page, '#designs-summary'), 'Designs: 5 of 11');
  await page.click('.designs-box input:not(:checked)');
  assert.equal(await text(page, '#designs-summary'), 'Designs: 6 of 11');
  assert.equal(await page.$$eval('[data-table="designs"] tbody tr', all => all.length), 6);
  await page.click('.designs-box input:checked:not(:disabled)');
  assert.equal(await page.$$eval('[data-table="designs"] tbody tr', all => all.length), 5);
  assert.ok(await page.$eval('#design-0', e => (e as HTMLInputElement).disabled)); // the baseline stays
  await page.close();
});

test('text of the data is text', async () => {
  const data = load('hotspot');
  const evil = '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 1">';
  data.title = data.comparisons[0]!.workload = evil;
  data.statistics[0]!.about = evil;
  data.funnel.places[0]!.name = evil;
  for (const r of data.runs) {
    r.workload = r.machine = r.command = evil;
    r.kernels![0]!.name = evil;
    r.detail!.series_about!.ipc!.title = evil;
    r.funnel!.removed[0]![0]!.by = evil;
  }
  data.runs[1]!.design = evil;
  const {page, complaints} = await chromium.show(data);
  await scrollThrough(page);
  await page.evaluate(() => document.querySelector<SVGElement>('#funnel .mark')!.focus());
  assert.equal(await page.evaluate(() => (window as {hacked?: number}).hacked), undefined);
  assert.equal(await text(page, 'h1'), evil);
  assert.ok((await text(page, '#workload')).includes(evil));
  assert.equal(await page.$$eval('img', all => all.length), 0);
  const svgs = await page.evaluate(() =>
    window
      .heddle!.figures()
      .map(f => f.svg)
      .join(''),
  );
  assert.ok(!svgs.includes('<script') && !svgs.includes('<img'));
  assert.deepEqual(complaints, []);
  await page.close();
});

test('a page without data says so', async () => {
  const {page} = await chromium.open(chromium.writeEmpty());
  assert.match(await text(page, '[role="alert"]'), /no data in it/);
  await page.close();
});
