// The frame of the page: head, bar with the choices, sections.
import type {App} from './app';
import {redrawAll} from './charts/chart';
import {append, h} from './dom';
import {count, duration, plural} from './format';
import {startLive} from './live';
import {section, type SectionSpec} from './section';
import {choose, storedChoice, type Choice} from './theme';
import {choices} from './views/choices';
import {energySection} from './views/energy_view';
import {funnelSection, type FunnelState} from './views/funnel_view';
import {shortSection, workloadsSection, type WorkloadsState} from './views/overview_view';
import {provenanceSection} from './views/provenance_view';
import {runsSection, statsSection, type StatsState} from './views/stats_view';
import {studySection} from './views/study_view';
import {nocMeta, nocSections} from './views/noc_sections';
import {siliconMeta, siliconSections} from './views/silicon_sections';
import {timeSection} from './views/time_view';
import {whereSection, type WhereState} from './views/where_view';

function themeChoice(): HTMLElement {
  const names: [Choice, string][] = [
    ['system', 'System colours'],
    ['light', 'Light'],
    ['dark', 'Dark'],
  ];
  const now = storedChoice();
  return h(
    'label',
    {class: 'theme'},
    h('span', {class: 'hidden-label'}, 'Colours'),
    h(
      'select',
      {
        id: 'theme',
        onchange: (e: Event) => {
          choose((e.target as HTMLSelectElement).value as Choice);
          redrawAll();
        },
      },
      names.map(([v, name]) => h('option', {value: v, selected: v === now}, name)),
    ),
  );
}

function meta(app: App): string {
  const {data} = app.model;
  if (data.noc) return nocMeta(data, data.noc);
  if (data.silicon) return siliconMeta(data, data.silicon);
  const workloads = new Set(data.runs.map(r => r.workload)).size,
    designs = new Set(data.runs.map(r => r.design)).size;
  return [
    plural(data.runs.length, 'run'),
    plural(workloads, 'workload'),
    plural(designs, 'design'),
    `Heddle ${data.made.version}`,
    data.made.written,
  ].join(' \u00b7 ');
}

function masthead(app: App): {element: HTMLElement; update(): void} {
  const line = h('p', {class: 'meta'}),
    title = h('h1', {});
  const update = () => {
    line.textContent = meta(app);
    title.textContent = app.model.data.title;
  };
  update();
  return {
    element: h('header', {class: 'masthead'}, h('div', {class: 'brand'}, 'Heddle report'), themeChoice(), title, line),
    update,
  };
}

// Progress of what is being simulated; only in a live page.
function liveBox(app: App): {element: HTMLElement; update(): void} {
  const bar = h('progress', {'aria-label': 'Finished points'}),
    line = h('p', {id: 'progress'}),
    state = h('p', {class: 'problem', role: 'status'});
  const update = () => {
    const p = app.model.data.progress;
    bar.hidden = line.hidden = !p;
    if (!p) return;
    bar.max = Math.max(1, p.of);
    bar.value = p.done;
    line.textContent = `${count(p.done)} of ${count(p.of)} points finished${p.seconds_left === null || p.seconds_left === undefined ? '' : `, about ${duration(p.seconds_left)} left`}${p.running?.length ? `. Now: ${p.running.join('; ')}` : ''}`;
  };
  update();
  startLive(app, text => (state.textContent = text));
  return {element: h('section', {class: 'card live', 'aria-label': 'Progress'}, bar, line, state), update};
}

function sectionSpecs(app: App): SectionSpec[] {
  if (app.model.data.noc) return nocSections(app.model.data, app.model.data.noc);
  if (app.model.data.silicon) return siliconSections(app.model.data, app.model.data.silicon);
  const funnel: FunnelState = {scale: 'one'},
    workloads: WorkloadsState = {metric: 'speed'},
    where: WhereState = {direction: 'requests'},
    stats: StatsState = {differing: false};
  const chosen = () =>
    `${app.case?.key}|${app.entries.map(e => `${e.run.id}${e.runs.length}${e.run.detail ? 'd' : ''}`).join()}`;
  const runs = () => `${app.model.data.runs.length} ${app.model.data.runs[app.model.data.runs.length - 1]?.id}`;
  const of = (what: string) => () => `${what} ${chosen()}`;
  const has = (f: (d: App['model']['data']) => boolean) => app.model.data.live || f(app.model.data); // in a live page it may still come
  const list: (SectionSpec | false)[] = [
    {id: 'short', title: 'In short', signature: of('short'), body: () => shortSection(app)},
    has(d => d.statistics.some(s => s.name === 'energy.total')) && {
      id: 'energy',
      title: 'Energy',
      about: 'Which parts of the machine take it, for what happens there (dynamic) and for being there (static).',
      signature: of('energy'),
      body: () => energySection(app),
    },
    {
      id: 'funnel',
      title: 'The funnel',
      about:
        'How many requests arrive at each place of the machine, what ends there and by what, what goes on, and how much more could have been merged.',
      signature: of('funnel'),
      body: () => funnelSection(app, funnel),
    },
    has(d => d.figures.length > 0) && {
      id: 'figures',
      title: "The paper's figures",
      about:
        'Bars are ours, the heavy line across a bar is the paper\u2019s number, the thin line the range over perturbations.',
      signature: () => JSON.stringify(app.model.data.figures),
      body: () => studySection(app),
    },
    has(d => d.comparisons.length > 1) && {
      id: 'workloads',
      title: 'All workloads',
      signature: () => `${runs()} ${app.entries.map(e => e.design).join()}`,
      body: () => workloadsSection(app, workloads),
    },
    {id: 'time', title: 'Over time', signature: of('time'), body: () => timeSection(app)},
    {id: 'where', title: 'Where in the machine', signature: of('where'), body: () => whereSection(app, where)},
    {
      id: 'statistics',
      title: 'Statistics',
      about: 'Everything that was counted, with unit and meaning.',
      signature: of('stats'),
      body: () => statsSection(app, stats),
    },
    {id: 'runs', title: 'All runs', signature: runs, body: () => runsSection(app)},
    {id: 'provenance', title: 'Where the numbers come from', signature: of('from'), body: () => provenanceSection(app)},
  ];
  return list.filter((s): s is SectionSpec => s !== false);
}

const linkNames: Record<string, string> = {
  short: 'In short',
  energy: 'Energy',
  funnel: 'Funnel',
  figures: 'Figures',
  workloads: 'Workloads',
  time: 'Time',
  where: 'Where',
  statistics: 'Statistics',
  runs: 'Runs',
  provenance: 'Provenance',
  load: 'Load',
  network: 'Network',
  rates: 'Rates',
  cycles: 'Cycles',
  states: 'States',
  launches: 'Launches',
};

export function buildPage(root: HTMLElement, app: App): void {
  const specs = sectionSpecs(app),
    sections = specs.map(section);
  const head = masthead(app),
    bar = choices(
      app,
      specs.map(s => [s.id, linkNames[s.id] ?? s.title]),
    );
  const live = app.model.data.live ? liveBox(app) : null;
  root.replaceChildren();
  append(root, [
    h('a', {class: 'skip', href: '#main'}, 'Skip to the content'),
    head.element,
    bar.element,
    h(
      'main',
      {id: 'main'},
      live?.element,
      sections.map(s => s.element),
    ),
    h(
      'footer',
      {class: 'foot'},
      'Made by Heddle, a simulator of GPUs. This file is complete: it loads nothing from elsewhere.',
    ),
  ]);
  app.onChange(() => {
    head.update();
    bar.update();
    live?.update();
    for (const s of sections) s.update();
  });
}
