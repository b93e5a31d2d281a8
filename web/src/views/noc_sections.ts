// The page of `heddle noc`: its sections, and its charts as files.
import type {ChartSpec} from '../charts/chart';
import type {Noc, PageData} from '../data';
import {h, type Child} from '../dom';
import {count, plural} from '../format';
import type {SectionSpec} from '../section';
import {
  acceptedSpec,
  curveSwatch,
  latencySpec,
  loadSection,
  loadShort,
  ratesSection,
  type LoadState,
} from './load_view';
import {linksSpec, networkSection, outputsSpec, usualNetwork} from './network_view';
import {configuration, copyable, differenceTable, facts} from './provenance_view';

export function nocMeta(data: PageData, noc: Noc): string {
  return [
    plural(noc.curves.length, 'network'),
    plural(
      noc.curves.reduce((n, c) => n + c.points.length, 0),
      'rate',
    ),
    `Heddle ${data.made.version}`,
    data.made.written,
  ].join(' \u00b7 ');
}

function provenance(data: PageData, noc: Noc): Child {
  const {made, configurations} = data;
  return [
    h(
      'div',
      {class: 'card section-body'},
      facts([
        ['This page', copyable(made.command, 'copy-page')],
        ['Heddle', `${made.version}, source ${made.source}`],
        ['Written', made.written],
        ['Traffic', `${noc.pattern}, packets of ${plural(noc.flits, 'flit')}, seed ${noc.seed}`],
        ['Measured', `packets of ${count(noc.cycles)} core cycles, after ${count(noc.warm_up)}`],
      ]),
    ),
    noc.curves.length > 1 ? h('h3', {}, 'In what the configurations differ') : null,
    differenceTable(noc.curves.map(c => ({name: c.name, text: configurations[c.configuration] ?? ''}))),
    h('h3', {}, noc.curves.length > 1 ? 'Networks' : 'Network'),
    h(
      'div',
      {class: 'pair'},
      noc.curves.map((c, i) =>
        h(
          'article',
          {class: 'card section-body'},
          h('h3', {class: 'name'}, curveSwatch(i), ' ', c.name),
          facts([
            ['Network', c.network],
            ['Routers', c.floor ? `${c.floor.width} x ${c.floor.height}, ${plural(c.links.length, 'link')}` : ''],
          ]),
          configuration(c.name, configurations[c.configuration] ?? ''),
        ),
      ),
    ),
  ];
}

export function nocSections(data: PageData, noc: Noc): SectionSpec[] {
  const loadState: LoadState = {axis: 'linear'},
    networkState = usualNetwork(noc);
  const once = () => 'once'; // nothing outside of a section changes it
  return [
    {id: 'short', title: 'In short', signature: once, body: () => loadShort(noc)},
    {
      id: 'load',
      title: 'Latency and throughput',
      about:
        'Sources offer packets at a rate, whatever the network takes; where it does not keep up, their queues grow without end.',
      signature: once,
      body: () => loadSection(noc, loadState),
    },
    {
      id: 'network',
      title: 'Inside the network',
      about: 'What its links and outputs carry at one rate.',
      signature: once,
      body: () => networkSection(noc, networkState),
    },
    {id: 'rates', title: 'All rates', signature: once, body: () => ratesSection(noc)},
    {id: 'provenance', title: 'Where the numbers come from', signature: once, body: () => provenance(data, noc)},
  ];
}

export function nocSpecs(noc: Noc): (ChartSpec | null)[] {
  return [
    latencySpec(noc, {axis: 'linear'}),
    acceptedSpec(noc),
    ...noc.curves.flatMap((c, i) =>
      c.points.length > 0 ? [linksSpec(noc, usualNetwork(noc, i)), outputsSpec(noc, usualNetwork(noc, i))] : [],
    ),
  ];
}
