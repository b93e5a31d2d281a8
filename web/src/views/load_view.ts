// Latency and throughput by load: in words, as charts and as a table.
import {chart, type ChartSpec} from '../charts/chart';
import {cycles, drawAccepted, drawLatency, loadHeight, rate} from '../charts/load_curve';
import type {LoadPoint, Noc, NocCurve} from '../data';
import {h, type Child} from '../dom';
import {busiestLinks, colourOf, load, usualRate} from '../noc/loads';
import {table, type Column} from './table';

export interface LoadState {
  axis: 'linear' | 'log';
}

export function curveSwatch(index: number): HTMLElement {
  const box = h('span', {class: 'swatch', 'aria-hidden': 'true'});
  box.style.background = `var(--design-${colourOf(index)})`;
  return box;
}

export function loadSentence(c: NocCurve): string {
  const out = [`${cycles(c.zero_load_latency)} cycles at zero load.`];
  const p = c.points[usualRate(c)];
  if (p?.keeps_up) {
    out.push(
      `At ${rate(p.offered)} flits per input and cycle, the highest measured rate with which it keeps up, a packet takes ${cycles(p.latency)} cycles; 99 of 100 take no more than ${cycles(p.p99)}.`,
    );
    const link = busiestLinks(c, p, 1)[0];
    if (link && link.flits > 0)
      out.push(`Its busiest link, ${link.name}, then has ${rate(load(p, link.flits))} flits per network cycle.`);
  } else if (p) out.push('It keeps up with none of the rates.');
  if (c.saturation !== null)
    out.push(
      c.points.length > 0 && c.saturation >= 1
        ? 'Latency stays below three times that up to one flit per input and cycle.'
        : `Latency is three times that of an empty network at ${rate(c.saturation)}.`,
    );
  if (c.cut) out.push('Higher rates were left out: it did not keep up with two in a row.');
  return out.join(' ');
}

export function loadShort(noc: Noc): Child {
  return h(
    'div',
    {class: 'card'},
    h(
      'ul',
      {class: 'short'},
      noc.curves.map((c, i) =>
        h('li', {}, h('span', {class: 'name'}, curveSwatch(i), c.name), h('span', {}, loadSentence(c))),
      ),
    ),
  );
}

function rows(noc: Noc) {
  return [
    ['network', 'offered', 'accepted', 'latency', 'p99', 'longest', 'keeps_up', 'zero_load_latency', 'saturation'],
    ...noc.curves.flatMap(c =>
      c.points.map(p => [
        c.name,
        p.offered,
        p.accepted,
        p.latency,
        p.p99,
        p.longest,
        p.keeps_up ? 1 : 0,
        c.zero_load_latency,
        c.saturation,
      ]),
    ),
  ];
}

export function latencySpec(noc: Noc, state: LoadState): ChartSpec {
  return {
    name: 'load-latency',
    title: 'Latency by load',
    note: 'From a packet\u2019s birth to its arrival, the time in its source\u2019s queue included. An arrow at the upper edge is a latency beyond it.',
    draw: (paint, width) => drawLatency({curves: noc.curves, log: state.axis === 'log'}, paint, width),
    height: () => loadHeight,
    rows: () => rows(noc),
  };
}

export function acceptedSpec(noc: Noc): ChartSpec {
  return {
    name: 'load-accepted',
    title: 'Throughput by load',
    note: 'Flits per input and core cycle that arrived. On the dotted line all that is offered does.',
    draw: (paint, width) => drawAccepted(noc.curves, paint, width),
    height: () => loadHeight,
    rows: () => rows(noc),
  };
}

export function loadSection(noc: Noc, state: LoadState): Child {
  const axis = h(
    'fieldset',
    {class: 'switch'},
    h('legend', {}, 'Latency'),
    (['linear', 'log'] as const).map(a =>
      h(
        'label',
        {},
        h('input', {
          type: 'radio',
          name: 'latency-axis',
          id: `latency-${a}`,
          checked: state.axis === a,
          onchange: () => {
            state.axis = a;
            latency.redraw();
          },
        }),
        h('span', {}, a === 'linear' ? 'linear' : 'logarithmic'),
      ),
    ),
  );
  const latency = chart(latencySpec(noc, state), {controls: axis});
  return h('div', {class: 'pair'}, latency.element, chart(acceptedSpec(noc)).element);
}

interface Line {
  c: NocCurve;
  p: LoadPoint;
}

export function ratesSection(noc: Noc): Child {
  const link = ({c, p}: Line) => busiestLinks(c, p, 1).find(l => l.flits > 0);
  const number = (name: string, about: string, value: (p: LoadPoint) => number, show: (v: number) => string) => ({
    name,
    about,
    number: true,
    value: ({p}: Line) => value(p),
    show: ({p}: Line) => show(value(p)),
  });
  const columns: Column<Line>[] = [
    number('offered', 'Flits per input and core cycle that came into being', p => p.offered, rate),
    number('accepted', 'Flits per input and core cycle that arrived', p => p.accepted, rate),
    number('latency', 'Core cycles from birth to arrival, mean', p => p.latency, cycles),
    number('99%', 'Core cycles that 99 in 100 packets took at most', p => p.p99, cycles),
    number('longest', 'Core cycles of the packet that took longest', p => p.longest, cycles),
    number('inside', 'Network cycles inside the network, mean', p => p.network_latency, cycles),
    number('output', 'Flits per network cycle of the busiest output', p => p.busiest_output, rate),
    {
      name: 'busiest link',
      about: 'Flits per network cycle of the busiest link inside',
      value: l => link(l)?.flits ?? null,
      show: l => (link(l) ? `${rate(load(l.p, link(l)!.flits))} ${link(l)!.name}` : '\u2013'),
    },
    {
      name: 'keeps up',
      value: l => (l.p.keeps_up ? 'yes' : 'no'),
      show: l => (l.p.keeps_up ? 'yes' : h('strong', {}, 'no')),
    },
  ];
  if (noc.curves.length > 1) columns.unshift({name: noc.compared || 'network', value: l => l.c.name});
  return table({
    id: 'rates',
    label: 'All rates',
    columns,
    rows: noc.curves.flatMap(c => c.points.map(p => ({c, p}))),
    page: 60,
  });
}
