// Everything over time: series of all chosen designs on one axis that zooms and pans.
import type {App} from '../app';
import {chart, type Chart, type ChartSpec} from '../charts/chart';
import {drawTime, readout, timeHeight, timeScale, type Curve, type TimeChart} from '../charts/lines';
import {hideTip, showTip} from '../charts/marks';
import {steer, TimeAxis} from '../charts/time_axis';
import type {SeriesAbout} from '../data';
import {h, type Child} from '../dom';
import {count, slug} from '../format';
import type {Case, Entry} from '../model';
import {ctaCharts} from './cta_view';
import {launchChart} from './launch_view';

// Series that are parts of one whole and are drawn on top of each other (docs/report-data.md).
const stackedGroup = (about: SeriesAbout & {stacked?: boolean}) => about.stacked ?? /stall/.test(about.group);

interface Shown {
  id: string;
  title: string;
  unit: string;
  stacked: boolean;
  group: string;
  series: {name: string; title: string}[];
}

// One chart for each series, one for each group that is stacked.
export function charts(entries: Entry[]): Shown[] {
  const out: Shown[] = [];
  for (const e of entries) {
    const d = e.run.detail;
    if (!d?.series) continue;
    for (const name of Object.keys(d.series.values)) {
      const about = d.series_about?.[name] ?? {title: name, unit: '', group: ''};
      const stacked = stackedGroup(about);
      const id = stacked ? `group ${about.group}` : name;
      let chart = out.find(c => c.id === id);
      if (!chart) {
        const title = stacked ? about.group : about.title;
        chart = {
          id,
          title: title.charAt(0).toUpperCase() + title.slice(1),
          unit: about.unit,
          stacked,
          group: about.group,
          series: [],
        };
        out.push(chart);
      }
      if (!chart.series.some(s => s.name === name)) chart.series.push({name, title: about.title});
    }
  }
  return out;
}

const isShare = (unit: string) => /share|^$/.test(unit);

export function timeChart(shown: Shown, entries: Entry[], domain: [number, number]): TimeChart {
  const with_series = entries.filter(e => e.run.detail?.series);
  const curve = (e: Entry, series: string, name: string, colour: number): Curve => {
    const d = e.run.detail!.series!;
    return {name, colour, from: d.from, until: d.until, values: d.values[series] ?? [], idle: series.endsWith('.idle')};
  };
  const panels = shown.stacked
    ? with_series.map(e => ({name: e.design, curves: shown.series.map((s, i) => curve(e, s.name, s.title, i))}))
    : [{name: '', curves: with_series.map(e => curve(e, shown.series[0]!.name, e.design, e.colour))}];
  const values = panels.flatMap(p => p.curves.flatMap(c => c.values));
  const share = isShare(shown.unit) && values.every(v => v === null || v <= 1.0001);
  return {panels, stacked: shown.stacked, unit: shown.unit, share, top: shown.stacked && share ? 1 : undefined, domain};
}

export function timeSpec(c: Case, shown: Shown, entries: Entry[], domain: () => [number, number]): ChartSpec {
  const panels = shown.stacked ? entries.filter(e => e.run.detail?.series).length : 1;
  return {
    name: slug(`time ${shown.title} ${c.label}`),
    title: shown.title,
    note: shown.unit || undefined,
    draw: (paint, width) => drawTime(timeChart(shown, entries, domain()), paint, width),
    height: () => timeHeight(panels, shown.stacked),
    rows: () => [
      ['design', 'series', 'from', 'until', 'value'],
      ...timeChart(shown, entries, domain()).panels.flatMap(p =>
        p.curves.flatMap(x =>
          x.values.map((v, i) => [p.name || x.name, p.name ? x.name : shown.title, x.from[i], x.until[i], v]),
        ),
      ),
    ],
  };
}

const axes = new Map<string, TimeAxis>(); // by case and designs: reading data again keeps the zoom

function axisFor(c: Case, entries: Entry[]): TimeAxis {
  const full = Math.max(1, ...entries.map(e => e.run.detail?.cycles ?? 0));
  const known = axes.get(c.key);
  if (known && known.full === full) return known;
  const made = new TimeAxis(full);
  axes.set(c.key, made);
  return made;
}

// A chart that follows the axis: drawn again when it moves, with a line and the numbers where the cursor is.
function following(spec: ChartSpec, shown: Shown, entries: Entry[], axis: TimeAxis): Chart {
  const step = () => {
    const s = entries.find(e => e.run.detail?.series)?.run.detail?.series;
    return s && s.from.length > 0 ? (s.until[s.until.length - 1]! - s.from[0]!) / s.from.length : axis.full / 100;
  };
  const made = chart(spec, {interact: holder => steer(holder, axis, step)});
  const holder = made.holder;
  holder.tabIndex = 0;
  holder.setAttribute('role', 'slider');
  holder.setAttribute(
    'aria-label',
    `${spec.title} over time: cursor in cycles. Left and right move it, plus and minus zoom, shift with left and right pans, 0 shows all.`,
  );
  holder.setAttribute('aria-valuemin', '0');
  holder.setAttribute('aria-valuemax', String(axis.full));
  holder.setAttribute('aria-valuenow', '0');
  let over = false;
  holder.addEventListener('pointerenter', () => (over = true));
  holder.addEventListener('pointerleave', () => {
    over = false;
    hideTip();
  });
  holder.addEventListener('blur', () => {
    axis.point(null);
    hideTip();
  });
  axis.listen(what => {
    if (!holder.isConnected) return;
    if (what === 'domain') made.redraw();
    const cursor = holder.querySelector('.cursor'),
      at = axis.cursor;
    const out = at === null || at < axis.domain[0] || at > axis.domain[1];
    cursor?.setAttribute('visibility', out ? 'hidden' : 'visible');
    if (out || !cursor) return;
    const x = timeScale(axis.domain, holder.clientWidth)(at);
    cursor.setAttribute('x1', String(x));
    cursor.setAttribute('x2', String(x));
    if (!over && document.activeElement !== holder) return;
    const lines = readout(timeChart(shown, entries, axis.domain), shown.title, Math.round(at));
    holder.setAttribute('aria-valuenow', String(Math.round(at)));
    holder.setAttribute('aria-valuetext', lines.join('. '));
    const box = holder.getBoundingClientRect();
    showTip(lines, box.left + x, box.top + 20);
  });
  return made;
}

function tools(axis: TimeAxis): HTMLElement {
  const where = h('span', {class: 'small-text', 'aria-live': 'polite'});
  const tell = () =>
    (where.textContent = axis.zoomed
      ? `cycles ${count(axis.domain[0])} to ${count(axis.domain[1])} of ${count(axis.full)}`
      : `all ${count(axis.full)} cycles`);
  tell();
  axis.listen(tell);
  const button = (id: string, name: string, label: string, act: () => void) =>
    h('button', {type: 'button', id, 'aria-label': label, onclick: act}, name);
  const span = () => axis.domain[1] - axis.domain[0];
  return h(
    'div',
    {class: 'chart-controls', role: 'toolbar', 'aria-label': 'Time axis of all charts below'},
    button('time-in', '+', 'Zoom in', () => axis.zoom(0.6)),
    button('time-out', '\u2212', 'Zoom out', () => axis.zoom(1 / 0.6)),
    button('time-left', '\u2190', 'Earlier', () => axis.pan(-span() / 4)),
    button('time-right', '\u2192', 'Later', () => axis.pan(span() / 4)),
    button('time-all', 'All', 'Show the whole run', () => axis.reset()),
    where,
  );
}

export function timeSection(app: App): Child {
  const c = app.case,
    entries = app.entries;
  if (!c || !entries.some(e => e.run.detail)) {
    return h('p', {class: 'empty'}, 'No detail over time was kept with these runs.');
  }
  const axis = axisFor(c, entries);
  const all = charts(entries),
    groups = [...new Set(all.map(s => s.group))].sort((x, y) => Number(x !== '') - Number(y !== '')); // single ones first
  const made = groups.map(group => {
    const members = all
      .filter(s => s.group === group)
      .map(s => ({
        wide: s.stacked,
        element: following(
          timeSpec(c, s, entries, () => axis.domain),
          s,
          entries,
          axis,
        ).element,
      }));
    const narrow = members.filter(m => !m.wide).map(m => m.element);
    return [
      narrow.length > 0 && group ? h('h3', {class: 'group'}, group.charAt(0).toUpperCase() + group.slice(1)) : null,
      narrow.length > 0 ? h('div', {class: 'pair'}, narrow) : null,
      members.filter(m => m.wide).map(m => m.element),
    ];
  });
  return [
    h(
      'p',
      {class: 'small-text'},
      'Drag to move, Ctrl and the wheel or two fingers to zoom, double-click for the whole run. With the keyboard: plus, minus, arrow keys, 0. All charts move together.',
    ),
    tools(axis),
    launchChart(c, entries, axis)?.element,
    made,
    h(
      'div',
      {class: 'pair'},
      ctaCharts(c, entries, axis).map(x => x.element),
    ),
  ];
}
