// The network inside at one rate: its links where they lie, or the busiest of them; its outputs.
import {chart, type Chart, type ChartSpec} from '../charts/chart';
import {drawFloor, floorFits, floorHeight, loadText} from '../charts/floor';
import {rate} from '../charts/load_curve';
import {drawRanks, ranksHeight, type Ranks} from '../charts/ranks';
import type {LoadPoint, Noc, NocCurve} from '../data';
import {h, type Child} from '../dom';
import {slug} from '../format';
import {busiestLinks, busiestOutputs, highest, load, usualRate, type Loaded} from '../noc/loads';

export interface NetworkState {
  curve: number;
  rate: number; // index of its points
}

export const usualNetwork = (noc: Noc, curve = 0): NetworkState => ({curve, rate: usualRate(noc.curves[curve]!)});

const most = 16; // in a list

const pointOf = (noc: Noc, state: NetworkState): LoadPoint => noc.curves[state.curve]!.points[state.rate]!;

function ranks(list: Loaded[], p: LoadPoint, high: number): Ranks {
  return {
    items: list.map(l => ({
      name: l.name,
      value: load(p, l.flits),
      tip: [l.name, `${loadText(load(p, l.flits))} flits per network cycle`],
    })),
    high,
    text: loadText,
  };
}

const nameFor = (what: string, noc: Noc, c: NocCurve) => slug(`${what} ${noc.curves.length > 1 ? c.name : ''}`);

// Where links are no grid, or the grid is too fine to see, the busiest of them.
export function linksSpec(noc: Noc, state: NetworkState): ChartSpec | null {
  const c = noc.curves[state.curve]!;
  if (c.links.length === 0) return null;
  const high = highest(noc, 'link_flits');
  const list = () => ranks(busiestLinks(c, pointOf(noc, state), most), pointOf(noc, state), high);
  return {
    name: nameFor('links', noc, c),
    title: c.floor ? 'Links by their load' : `The busiest of ${c.links.length} links`,
    note: c.floor
      ? 'Flits per network cycle; one is the most that a link carries. All rates have one scale.'
      : 'Flits per network cycle; one is the most that a link carries. All rates have one scale, and all networks.',
    draw: (paint, width) =>
      floorFits(c, width)
        ? drawFloor({curve: c, point: pointOf(noc, state), high}, paint, width)
        : drawRanks(list(), paint, width),
    height: width => (floorFits(c, width) ? floorHeight(c, width) : ranksHeight(list())),
    rows: () => [
      ['link', 'from', 'to', 'offered', 'flits', 'network_cycles'],
      ...c.points.flatMap(p =>
        c.links.map((l, i) => [l.name, l.from, l.to, p.offered, p.link_flits[i], p.network_cycles]),
      ),
    ],
  };
}

export function outputsSpec(noc: Noc, state: NetworkState): ChartSpec | null {
  const c = noc.curves[state.curve]!,
    outputs = c.points[0]?.output_flits.length ?? 0;
  if (outputs === 0) return null;
  const high = highest(noc, 'output_flits');
  const list = () => ranks(busiestOutputs(c, pointOf(noc, state), most), pointOf(noc, state), high);
  return {
    name: nameFor('outputs', noc, c),
    title: outputs > most ? `The busiest of ${outputs} outputs` : 'Outputs by their load',
    note: 'Flits per network cycle that arrived at each.',
    draw: (paint, width) => drawRanks(list(), paint, width),
    height: () => ranksHeight(list()),
    rows: () => [
      ['output', 'offered', 'flits', 'network_cycles'],
      ...c.points.flatMap(p => p.output_flits.map((n, o) => [`${c.receivers} ${o}`, p.offered, n, p.network_cycles])),
    ],
  };
}

function choice(id: string, label: string, options: string[], now: number, choose: (i: number) => void): HTMLElement {
  return h(
    'label',
    {class: 'choice'},
    label,
    h(
      'select',
      {id, onchange: (e: Event) => choose(Number((e.target as HTMLSelectElement).value))},
      options.map((o, i) => h('option', {value: i, selected: i === now}, o)),
    ),
  );
}

export function networkSection(noc: Noc, state: NetworkState): Child {
  const body = h('div', {class: 'section-body'}),
    rates = h('div', {}),
    charts: Chart[] = [];
  const showCurve = () => {
    const c = noc.curves[state.curve]!;
    rates.replaceChildren(
      choice(
        'network-rate',
        'Offered',
        c.points.map(p => `${rate(p.offered)}${p.keeps_up ? '' : ' (does not keep up)'}`),
        state.rate,
        i => {
          state.rate = i;
          for (const one of charts) one.redraw();
        },
      ),
    );
    charts.length = 0;
    for (const spec of [linksSpec(noc, state), outputsSpec(noc, state)]) if (spec) charts.push(chart(spec));
    body.replaceChildren(...charts.map(one => one.element));
  };
  if (noc.curves.every(c => c.points.length === 0)) return h('p', {class: 'empty'}, 'No rate was measured.');
  showCurve();
  const curves =
    noc.curves.length > 1
      ? choice(
          'network-curve',
          'Network',
          noc.curves.map(c => c.name),
          state.curve,
          i => {
            Object.assign(state, usualNetwork(noc, i));
            showCurve();
          },
        )
      : null;
  return [h('div', {class: 'chart-controls', role: 'group', 'aria-label': 'What is shown'}, curves, rates), body];
}
