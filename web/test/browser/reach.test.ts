// Who can use the page: keyboard, contrast, narrow screens, themes, paper.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {load, withEnergy} from '../data';
import {Chromium, goTo, scrollThrough} from './page';

const chromium = new Chromium();
before(() => chromium.start());
after(() => chromium.stop());

test('the tab key reaches every control', async () => {
  const {page} = await chromium.show(load('hotspot'));
  await scrollThrough(page);
  const wanted = await page.evaluate(() => {
    const all = [
      ...document.querySelectorAll<HTMLElement>('a[href], button, select, input, summary, [tabindex="0"]'),
    ].filter(
      e =>
        !(e as HTMLButtonElement).disabled &&
        e.checkVisibility() &&
        (!(e instanceof HTMLInputElement) || e.type !== 'radio' || e.checked),
    );
    all.forEach((e, i) => e.setAttribute('data-reach', String(i)));
    return all.map(e => `${e.tagName} ${e.id || e.getAttribute('aria-label') || e.textContent?.slice(0, 30)}`);
  });
  const reached = new Set<number>();
  for (let i = 0; i < wanted.length + 20; ++i) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => document.activeElement?.getAttribute('data-reach'));
    if (at !== null && at !== undefined) reached.add(Number(at));
  }
  assert.ok(wanted.length > 60);
  assert.deepEqual(
    wanted.filter((_, i) => !reached.has(i)),
    [],
  );
  await page.close();
});

test('arrow keys reach every part of the funnel, and each tells its numbers', async () => {
  const {page} = await chromium.show(load('hotspot'));
  await goTo(page, 'funnel');
  const marks = await page.$$eval('#funnel .mark', all =>
    all.map(m => [m.getAttribute('data-row'), m.getAttribute('data-column')].join()),
  );
  assert.equal(new Set(marks).size, marks.length);
  const seen = new Set<string>();
  const here = () =>
    page.evaluate(() => {
      const m = document.activeElement!,
        tip = document.getElementById('tip')!;
      return {
        at: [m.getAttribute('data-row'), m.getAttribute('data-column')].join(),
        tip: m.getAttribute('data-tip'),
        shown: tip.hidden ? null : [...tip.children].map(c => c.textContent).join('\n'),
      };
    });
  await page.focus('#scale-one');
  await page.keyboard.press('Tab');
  const rows = new Set(marks.map(m => m.split(',')[0])).size;
  for (let r = 0; r < rows; ++r) {
    for (const key of ['ArrowLeft', 'ArrowRight']) {
      for (let i = 0; i < 30; ++i) {
        const now = await here();
        assert.equal(now.shown, now.tip);
        seen.add(now.at);
        await page.keyboard.press(key as 'ArrowLeft');
        if ((await here()).at === now.at) break;
      }
    }
    await page.keyboard.press('ArrowDown');
  }
  assert.deepEqual(
    marks.filter(m => !seen.has(m)),
    [],
  );
  await page.keyboard.press('Escape');
  assert.equal((await here()).shown, null);
  await page.close();
});

test('landmarks, one main heading, no level left out, labels, no id twice', async () => {
  const {page} = await chromium.show(load('hotspot'));
  await scrollThrough(page);
  const found = await page.evaluate(() => {
    const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
    const levels = [...document.querySelectorAll('h1, h2, h3')].map(e => Number(e.tagName[1]));
    const named = (e: Element) =>
      e.getAttribute('aria-label') || e.closest('label')?.textContent?.trim() || e.textContent?.trim();
    return {
      landmarks: ['header', 'nav[aria-label]', 'main', 'footer'].filter(s => document.querySelectorAll(s).length !== 1),
      h1: levels.filter(l => l === 1).length,
      jumps: levels.filter((l, i) => i > 0 && l > levels[i - 1]! + 1).length,
      twice: ids.filter((id, i) => ids.indexOf(id) !== i),
      nameless: [
        ...document.querySelectorAll('button, select, input, summary, [role="slider"], [role="region"], [role="img"]'),
      ]
        .filter(e => !named(e))
        .map(e => e.outerHTML.slice(0, 80)),
      sections: [...document.querySelectorAll('main > section')].filter(
        s => !document.getElementById(s.getAttribute('aria-labelledby') ?? ''),
      ).length,
      language: document.documentElement.lang,
    };
  });
  assert.deepEqual(found, {landmarks: [], h1: 1, jumps: 0, twice: [], nameless: [], sections: 0, language: 'en'});
  await page.close();
});

for (const dark of [false, true]) {
  test(`contrast of all text in the ${dark ? 'dark' : 'light'} theme`, async () => {
    for (const name of ['hotspot', 'study', 'networks'] as const) {
      const {page} = await chromium.show(load(name), {dark});
      await scrollThrough(page);
      const low = await page.evaluate(() => {
        const rgb = (c: string) => (/\d+(\.\d+)?/g[Symbol.match](c) ?? []).map(Number);
        const light = ([r, g, b]: number[]) => {
          const f = (v: number) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
          return 0.2126 * f(r!) + 0.7152 * f(g!) + 0.0722 * f(b!);
        };
        const out: string[] = [];
        let seen = 0;
        for (const e of document.querySelectorAll('body *')) {
          const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent!.trim() !== '');
          if (
            !own ||
            !e.checkVisibility() ||
            /^(SCRIPT|NOSCRIPT|OPTION)$/.test(e.tagName) ||
            e.closest('[data-chart^="traffic"] svg, [data-chart^="banks"] svg, .skip, :disabled')
          )
            continue;
          const style = getComputedStyle(e),
            colour = rgb(e instanceof SVGElement ? style.fill : style.color);
          let at: Element | null = e,
            back: number[] | null = null;
          while (at && !back) {
            if (at instanceof SVGSVGElement) back = rgb(getComputedStyle(at.querySelector('rect')!).fill);
            const b = rgb(getComputedStyle(at).backgroundColor);
            if (!back && (b.length === 3 || (b.length === 4 && b[3] === 1))) back = b;
            at = at.parentElement;
          }
          const [x, y] = [light(colour), light(back ?? [255, 255, 255])];
          const ratio = (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
          ++seen;
          if (ratio < (parseFloat(style.fontSize) >= 24 ? 3 : 4.5))
            out.push(`${ratio.toFixed(2)} ${e.tagName} ${e.textContent!.slice(0, 40)}`);
        }
        return seen > 150 ? out : [`only ${seen} texts were found`];
      });
      assert.deepEqual(low, []);
      await page.close();
    }
  });
}

for (const name of ['hotspot', 'several', 'study', 'networks', 'mesh'] as const) {
  test(`${name}: 400 pixels are enough`, async () => {
    const {page, complaints} = await chromium.show(load(name), {width: 400, height: 800});
    await scrollThrough(page);
    const wide = await page.evaluate(() => ({
      page: document.documentElement.scrollWidth,
      drawings: [...document.querySelectorAll('.drawing')]
        .filter(d => d.scrollWidth > d.clientWidth + 1)
        .map(d => d.closest('.chart')!.getAttribute('data-chart')),
    }));
    assert.deepEqual(wide, {page: 400, drawings: []});
    assert.deepEqual(complaints, []);
    await page.close();
  });
}

for (const section of ['funnel', 'energy']) {
  test(`nothing is written over something else in the section ${section}, wide and narrow`, async () => {
    for (const width of [1280, 820, 400]) {
      const {page} = await chromium.show(withEnergy(load('hotspot')), {width});
      await goTo(page, section);
      const over = await page.evaluate(id => {
        const texts = [...document.querySelectorAll(`#${id} .drawing text`)]
          .filter(t => t.textContent)
          .map(t => ({t: t.textContent!, b: t.getBoundingClientRect()}));
        const out: string[] = [];
        texts.forEach((a, i) =>
          texts.slice(i + 1).forEach(b => {
            const x = Math.min(a.b.right, b.b.right) - Math.max(a.b.left, b.b.left),
              y = Math.min(a.b.bottom, b.b.bottom) - Math.max(a.b.top, b.b.top);
            if (x > 1 && y > 5) out.push(`${a.t} / ${b.t}`);
          }),
        );
        return out;
      }, section);
      assert.deepEqual(over, [], `at ${width}`);
      await page.close();
    }
  });
}

test('the theme can be chosen, and charts follow', async () => {
  const {page} = await chromium.show(load('hotspot'));
  const ground = () => page.$eval('#funnel .drawing svg > rect', e => e.getAttribute('fill'));
  await goTo(page, 'funnel');
  assert.equal(await ground(), '#ffffff');
  await page.select('#theme', 'dark');
  assert.equal(await ground(), '#171b21');
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(15, 18, 22)');
  await page.close();
});

test('on paper everything is light, and all charts are there', async () => {
  const {page} = await chromium.show(load('hotspot'), {dark: true});
  await scrollThrough(page);
  await page.emulateMediaType('print');
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  const fills = await page.$$eval('.drawing svg > rect:first-child', all => all.map(e => e.getAttribute('fill')));
  assert.equal(fills.length, 23);
  assert.ok(fills.every(f => f === '#ffffff'));
  assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector('.bar')!).display), 'none');
  assert.ok((await page.pdf()).length > 50_000);
  await page.close();
});

test('time zooms and pans with buttons, keyboard, wheel, mouse and two fingers', async () => {
  const data = load('hotspot');
  const {page} = await chromium.show(data);
  await page.$eval('#time', e => e.scrollIntoView());
  await page.waitForSelector('#time path.line');
  const chart = '[data-chart^="time-ipc"] .drawing';
  const where = () => page.$eval('#time [role="toolbar"] .small-text', e => e.textContent!);
  const frame = () => page.evaluate(() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 30))));
  const all = await where();
  const longest = Math.max(...data.runs.map(r => r.detail!.cycles));
  assert.equal(all, `all ${longest.toLocaleString('en-US')} cycles`);
  const line = () => page.$eval(`${chart} path.line`, e => e.getAttribute('d'));
  const whole = await line();
  const changes = async (what: string, act: () => Promise<unknown>) => {
    const before = await where();
    await act();
    await frame();
    assert.notEqual(await where(), before, what);
  };
  await changes('button', () => page.click('#time-in'));
  assert.notEqual(await line(), whole);
  await changes('later', () => page.click('#time-right'));
  await page.click('#time-all');
  await frame();
  assert.equal(await line(), whole);
  await page.focus(chart);
  await changes('plus', () => page.keyboard.press('+'));
  await page.keyboard.press('ArrowRight');
  assert.match(
    await page.$eval('#tip', e => ((e as HTMLElement).hidden ? '' : e.textContent!)),
    /IPC, cycle [\d,]+baseline: [\d.]+DB: /,
  );
  assert.match(await page.$eval(chart, e => e.getAttribute('aria-valuetext')!), /^IPC, cycle/);
  await changes('0', () => page.keyboard.press('0'));
  const box = (await (await page.$(chart))!.boundingBox())!;
  await page.mouse.move(box.x + 200, box.y + 80);
  await changes('wheel', () => page.mouse.wheel({deltaY: -300}));
  await changes('drag', async () => {
    await page.mouse.down();
    await page.mouse.move(box.x + 120, box.y + 80, {steps: 4});
    await page.mouse.up();
  });
  await changes('fingers', () =>
    page.$eval(chart, e => {
      const at = e.getBoundingClientRect();
      const touch = (type: string, pointerId: number, x: number) =>
        e.dispatchEvent(
          new PointerEvent(type, {
            pointerId,
            pointerType: 'touch',
            clientX: at.left + x,
            clientY: at.top + 50,
            bubbles: true,
            button: 0,
          }),
        );
      (e as HTMLElement).setPointerCapture = () => {};
      touch('pointerdown', 11, 200);
      touch('pointerdown', 12, 260);
      touch('pointermove', 12, 340);
      touch('pointerup', 11, 200);
      touch('pointerup', 12, 340);
    }),
  );
  await page.close();
});
