// The bar at the top: which workload, which designs, and links to the sections.
import {mostDesigns, type App} from '../app';
import {h, type Child} from '../dom';
import {swatch} from './overview_view';

function workloadChoice(app: App): Child {
  const {cases} = app.model;
  if (cases.length === 0) return null;
  return h(
    'label',
    {},
    'Workload',
    h(
      'select',
      {id: 'workload', onchange: (e: Event) => app.chooseCase((e.target as HTMLSelectElement).value)},
      cases.map(c => h('option', {value: c.key, selected: c === app.case}, c.label)),
    ),
  );
}

function designBox(app: App): Child {
  const c = app.case;
  if (!c || c.entries.length < 2) return null;
  const chosen = new Set(app.entries.map(e => e.design));
  const boxes: {name: string; row: HTMLElement; box: HTMLInputElement}[] = [];
  const apply = () => app.chooseDesigns(boxes.filter(b => b.box.checked).map(b => b.name));
  const limit = () => {
    const full = boxes.filter(b => b.box.checked).length >= mostDesigns;
    for (const b of boxes) b.box.disabled = b === boxes[0] || (full && !b.box.checked);
  };
  for (const e of c.entries) {
    const box = h('input', {
      type: 'checkbox',
      id: `design-${e.index}`,
      checked: chosen.has(e.design),
      onchange: () => {
        limit();
        apply();
      },
    });
    boxes.push({name: e.design, box, row: h('label', {}, box, swatch(e), e.design)});
  }
  limit();
  const search =
    c.entries.length > 12
      ? h('input', {
          type: 'search',
          id: 'design-filter',
          placeholder: 'Filter designs',
          'aria-label': 'Filter designs',
          oninput: (e: Event) => {
            const text = (e.target as HTMLInputElement).value.toLowerCase();
            for (const b of boxes) b.row.hidden = !b.name.toLowerCase().includes(text);
          },
        })
      : null;
  return [
    search,
    h('p', {class: 'note'}, `The first is the baseline. At most ${mostDesigns} at once.`),
    boxes.map(b => b.row),
  ];
}

export function choices(app: App, links: [string, string][]): {element: HTMLElement; update(): void} {
  const workload = h('div', {}),
    box = h('div', {class: 'designs-box'}),
    summary = h('summary', {id: 'designs-summary'});
  const designs = h('details', {class: 'designs'}, summary, box);
  let workloads = '',
    known = '';
  const update = () => {
    const all = app.model.cases.map(c => c.key).join('\n');
    if (all !== workloads) {
      workloads = all;
      workload.replaceChildren();
      const made = workloadChoice(app);
      if (made instanceof Node) workload.append(made);
    }
    const c = app.case,
      now = `${c?.key}\n${c?.entries.map(e => e.design).join('\n')}`;
    summary.textContent = `Designs: ${app.entries.length} of ${c?.entries.length ?? 0}`;
    designs.hidden = !c || c.entries.length < 2;
    if (now === known) return;
    known = now;
    const had = document.activeElement?.id;
    box.replaceChildren(h('div', {}, designBox(app)));
    if (had?.startsWith('design-')) document.getElementById(had)?.focus();
  };
  update();
  document.addEventListener('click', e => {
    if (!designs.contains(e.target as Node)) designs.open = false;
  });
  designs.addEventListener('keydown', e => {
    if (e.key !== 'Escape' || !designs.open) return;
    designs.open = false;
    summary.focus();
  });
  const element = h(
    'div',
    {class: 'bar'},
    h(
      'div',
      {class: 'bar-inner'},
      workload,
      designs,
      h(
        'nav',
        {'aria-label': 'Sections'},
        h(
          'ul',
          {},
          links.map(([id, name]) => h('li', {}, h('a', {href: `#${id}`}, name))),
        ),
      ),
    ),
  );
  return {element, update};
}
