// Where the numbers come from: machine, input, build, and how to repeat each run.
import type {App} from '../app';
import {h, type Child} from '../dom';
import {bytes, duration, none, slug} from '../format';
import type {Entry} from '../model';
import {differences} from '../toml_keys';
import {swatch} from './overview_view';
import {table} from './table';

export function copyable(command: string, id: string): HTMLElement {
  const button = h(
    'button',
    {
      type: 'button',
      class: 'small copy',
      id,
      'aria-label': `Copy the command: ${command}`,
      onclick: async () => {
        try {
          await navigator.clipboard.writeText(command);
          button.textContent = 'Copied';
        } catch {
          getSelection()?.selectAllChildren(code); // no clipboard in a page from a file: the reader copies it
          button.textContent = 'Selected';
        }
        setTimeout(() => (button.textContent = 'Copy'), 1500);
      },
    },
    'Copy',
  );
  const code = h('code', {tabindex: 0}, command);
  return h('div', {class: 'command'}, code, button);
}

export function facts(list: [string, Child][]): HTMLElement {
  return h(
    'dl',
    {class: 'facts'},
    list.filter(([, v]) => v !== '' && v !== null).map(([k, v]) => [h('dt', {}, k), h('dd', {}, v)]),
  );
}

export function configuration(name: string, toml: string): HTMLElement {
  return h(
    'details',
    {class: 'config'},
    h('summary', {}, 'Effective configuration'),
    h('pre', {tabindex: 0, role: 'region', 'aria-label': `Configuration of ${name}`}, toml),
  );
}

export function differenceTable(all: {name: string; text: string}[]): Child {
  const rows = differences(all.map(one => one.text));
  if (all.length < 2) return null;
  if (rows.length === 0) return h('p', {class: 'small-text'}, 'The configurations are the same in every key.');
  return table({
    id: 'differences',
    label: 'Differences of the configurations',
    rows,
    page: 40,
    columns: [
      {name: 'parameter', value: r => r.key, show: r => h('code', {class: 'breaks'}, r.key)},
      ...all.map((one, i) => ({
        name: one.name,
        value: (r: (typeof rows)[number]) => r.values[i] ?? null,
        show: (r: (typeof rows)[number]) =>
          r.values[i] === null
            ? none
            : h(r.values[i] === r.values[0] ? 'span' : 'strong', {}, h('code', {class: 'breaks'}, r.values[i])),
      })),
    ],
  });
}

function runCard(app: App, e: Entry): HTMLElement {
  const r = e.run;
  return h(
    'article',
    {class: 'card section-body'},
    h('h3', {class: 'name'}, swatch(e), ' ', e.design),
    facts([
      ['Machine', r.machine],
      [
        'Workload',
        `${r.workload}${r.suite ? ` (${r.suite})` : ''}${r.scale ? `, scale ${r.scale}` : ''}, seed ${r.seed}`,
      ],
      [
        'Input',
        Object.entries(r.parameters)
          .map(([k, v]) => `${k} ${v}`)
          .join(', '),
      ],
      ['Input hash', h('code', {}, r.input)],
      ['Contents', r.contents ? h('code', {}, r.contents) : ''],
      ['Source of the build', h('code', {}, r.source)],
      ['Record', h('code', {}, r.id)],
      ['Finished', r.finished ? `${r.finished} UTC` : ''],
      ['Study', r.study],
      [
        'Perturbations',
        e.runs
          .filter(x => x.perturbation)
          .map(x => x.perturbation)
          .join(', '),
      ],
      ['Cost', `${duration(r.host.cpu_seconds)} of processor time, ${bytes(r.host.memory_bytes)} of memory`],
    ]),
    r.command
      ? copyable(r.command, `copy-${slug(e.design)}-${e.index}`)
      : h(
          'p',
          {class: 'small-text'},
          'No single command repeats this run: the machine that it names is not there any more. The configuration below does.',
        ),
    configuration(e.design, app.model.data.configurations[r.configuration] ?? ''),
  );
}

export function provenanceSection(app: App): Child {
  const {made} = app.model.data,
    entries = app.entries;
  return [
    h(
      'div',
      {class: 'card section-body'},
      facts([
        ['This page', copyable(made.command, 'copy-page')],
        ['Heddle', `${made.version}, source ${made.source}`],
        ['Written', made.written],
      ]),
    ),
    entries.length > 1 ? h('h3', {}, 'In what the configurations differ') : null,
    differenceTable(
      entries.map(e => ({name: e.design, text: app.model.data.configurations[e.run.configuration] ?? ''})),
    ),
    h('h3', {}, 'Runs'),
    h(
      'div',
      {class: 'pair'},
      entries.map(e => runCard(app, e)),
    ),
  ];
}
