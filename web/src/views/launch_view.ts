// Which kernel ran when: a row per design, a span per launch.
import {chart, type Chart, type ChartSpec} from '../charts/chart';
import {timeScale, timeTicks} from '../charts/lines';
import {mark} from '../charts/marks';
import {canvas, legend, partFill, rect, text, type Key} from '../charts/parts';
import {plotLeft, plotRight, steer, type TimeAxis} from '../charts/time_axis';
import {fit, s, textWidth} from '../dom';
import {count, plural, slug} from '../format';
import type {Case, Entry} from '../model';
import type {Paint} from '../theme';

const rowHeight = 40,
  barHeight = 16;

function kernelsOf(entries: Entry[]): string[] {
  return [...new Set(entries.flatMap(e => (e.run.detail?.launches ?? []).map(l => l.kernel)))];
}

function drawLaunches(entries: Entry[], domain: [number, number], paint: Paint, width: number): SVGSVGElement {
  const kernels = kernelsOf(entries),
    defs: SVGElement[] = [];
  const fills = kernels.map((_, i) => {
    const t = partFill(i, paint);
    if (t.defs) defs.push(t.defs);
    return t.fill;
  });
  const keys: Key[] = kernels
    .slice(0, 12)
    .map((name, i) => ({name: fit(name, 12, width - plotLeft - 40), fill: fills[i]!}));
  const names = legend(keys, plotLeft, 2, width - plotLeft, paint);
  const x = timeScale(domain, width),
    right = width - plotRight;
  const out: SVGElement[] = [s('defs', {}, ...defs), names.element];
  const top = names.height + 6;
  entries.forEach((e, row) => {
    const y = top + row * rowHeight;
    out.push(text(plotLeft, y + 13, fit(e.design, 12, width - plotLeft), {'font-size': 12, 'font-weight': 600}));
    e.run.detail!.launches.forEach((l, i) => {
      const a = Math.max(plotLeft, x(l.from)),
        b = Math.min(right, x(l.until));
      if (b <= plotLeft || a >= right) return;
      const lines = [
        `${e.design}: launch ${i + 1}`,
        l.kernel,
        `cycles ${count(l.from)} to ${count(l.until)} (${plural(l.until - l.from, 'cycle')})`,
      ];
      out.push(
        mark(rect(a, y + 18, Math.max(1, b - a - 1), barHeight, fills[kernels.indexOf(l.kernel)]!), lines, row, i),
      );
      if (textWidth(`${i + 1}`, 10.5) + 8 < b - a && e.run.detail!.launches.length < 60) {
        out.push(
          rect(a + 3, y + 20, textWidth(`${i + 1}`, 10.5) + 6, barHeight - 4, paint.background, {
            rx: 2,
            'pointer-events': 'none',
          }),
          text(a + 6, y + 30, `${i + 1}`, {'font-size': 10.5, 'pointer-events': 'none'}),
        );
      }
    });
  });
  const bottom = top + entries.length * rowHeight + 2;
  return canvas(width, bottom + 30, paint, ...out, ...timeTicks(x, bottom, width, paint));
}

export function launchSpec(c: Case, all: Entry[], domain: () => [number, number]): ChartSpec | null {
  const entries = all.filter(e => (e.run.detail?.launches ?? []).length > 0);
  if (entries.length === 0) return null;
  return {
    name: slug(`launches ${c.label}`),
    title: 'Kernels',
    note: 'Every launch, coloured by its kernel',
    height: () => 60 + entries.length * rowHeight,
    draw: (paint, width) => drawLaunches(entries, domain(), paint, width),
    rows: () => [
      ['design', 'launch', 'kernel', 'from', 'until'],
      ...entries.flatMap(e => e.run.detail!.launches.map((l, i) => [e.design, i + 1, l.kernel, l.from, l.until])),
    ],
  };
}

export function launchChart(c: Case, entries: Entry[], axis: TimeAxis): Chart | null {
  const spec = launchSpec(c, entries, () => axis.domain);
  if (!spec) return null;
  const made = chart(spec, {interact: holder => steer(holder, axis, () => axis.full / 100, {keys: false})});
  axis.listen(what => {
    if (what === 'domain' && made.holder.isConnected) made.redraw();
  });
  return made;
}
