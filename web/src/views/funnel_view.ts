// The funnel section: sentences, the picture, the switch of its scale.
import type {App} from '../app';
import {chart, type ChartSpec} from '../charts/chart';
import type {Row} from '../csv';
import {h, type Child} from '../dom';
import {change, count, slug} from '../format';
import {drawFunnel, funnelHeight} from '../funnel/draw';
import type {Picture} from '../funnel/texts';
import {leftAt, type Scale} from '../funnel/layout';
import {redundancySentences} from '../funnel/words';
import {changes, metrics} from '../metrics';
import type {Case, Entry, Model} from '../model';

export interface FunnelState {
  scale: Scale;
}

const scales: [Scale, string][] = [
  ['one', 'One scale'],
  ['place', 'Each place 100%'],
  ['baseline', 'Against the baseline'],
];

function picture(model: Model, c: Case, entries: Entry[], scale: Scale): Picture {
  const designs = entries
    .filter(e => e.run.funnel)
    .map(e => {
      const x = changes(model, metrics[0]!, c, e);
      const base =
        entries.length === 1
          ? `${count(model.stat(e.run, 'gpu.cycles'))} cycles`
          : e.design === 'baseline'
            ? 'what the others are compared with'
            : 'the baseline';
      return {
        design: e.design,
        headline: e.index === 0 ? base : x ? `speed ${change(x.mean)}` : '',
        funnel: e.run.funnel!,
      };
    });
  return {levels: model.data.funnel.levels, places: model.data.funnel.places, designs, scale};
}

function rows(model: Model, entries: Entry[]): Row[] {
  const {levels, places} = model.data.funnel;
  const out: Row[] = [
    ['design', 'place', 'comes as', 'comes', 'goes on as', 'goes on', 'could still merge', 'removed by', 'removed'],
  ];
  for (const e of entries) {
    const f = e.run.funnel;
    if (!f) continue;
    places.forEach((p, i) => {
      const parts = f.removed[i]?.length ? f.removed[i]! : [{by: '', count: 0}];
      for (const part of parts) {
        out.push([
          e.design,
          p.name,
          levels[p.in]!.name,
          f.count[p.in],
          levels[p.out]!.name,
          f.count[p.out],
          leftAt(p, i, f),
          part.by,
          part.count,
        ]);
      }
    });
  }
  return out;
}

export function funnelSpec(model: Model, c: Case, entries: Entry[], state: FunnelState): ChartSpec | null {
  const shown = entries.filter(e => e.run.funnel);
  if (shown.length === 0 || model.data.funnel.places.length === 0) return null;
  const adds = shown.some(e => e.run.funnel?.added?.some(parts => parts.some(part => part.count > 0)));
  return {
    name: slug(`funnel ${c.label}`),
    title: `Where global loads go: ${c.label}`,
    note: `From single lanes at the top to DRAM rows at the bottom. Grey goes on to the next place, colours end there${adds ? ' (but for +: requests that a place adds itself, which go on)' : ''}.`,
    draw: (paint, width) => drawFunnel(picture(model, c, entries, state.scale), paint, width),
    rows: () => rows(model, entries),
    height: width => funnelHeight(shown.length, width),
    savedWidth: Math.max(520, 150 + 215 * Math.min(5, shown.length)),
  };
}

export function funnelSection(app: App, state: FunnelState): Child {
  const c = app.case;
  if (!c) return null;
  const spec = funnelSpec(app.model, c, app.entries, state);
  if (!spec)
    return h(
      'p',
      {class: 'empty'},
      'These runs have no funnel: they were not simulated with a machine, or by an older Heddle.',
    );
  const choice = h(
    'fieldset',
    {class: 'switch'},
    h('legend', {}, 'Lengths'),
    scales
      .filter(([scale]) => scale !== 'baseline' || app.entries.length > 1)
      .map(([scale, name]) =>
        h(
          'label',
          {},
          h('input', {
            type: 'radio',
            name: 'scale',
            id: `scale-${scale}`,
            value: scale,
            checked: state.scale === scale,
            onchange: () => {
              state.scale = scale;
              drawing.redraw();
            },
          }),
          h('span', {}, name),
        ),
      ),
  );
  const drawing = chart(spec, {controls: choice});
  const last = app.entries[app.entries.length - 1]!;
  const first = app.entries[0]!;
  const told = first === last ? [first] : [first, last];
  return [
    drawing.element,
    h(
      'dl',
      {class: 'told'},
      told.map(e => {
        const sentences = redundancySentences(app.model, e);
        return sentences.length > 0 ? [h('dt', {}, e.design), h('dd', {}, sentences.join(' '))] : null;
      }),
    ),
  ];
}
