// All charts of the data as SVG files, for `heddle report --figures` (docs/report-data.md).
import {usual, type App} from './app';
import {saved, type ChartSpec} from './charts/chart';
import {h} from './dom';
import {available} from './metrics';
import type {Case, Model} from './model';
import {ctaSpec} from './views/cta_view';
import {energySpec} from './views/energy_view';
import {funnelSpec} from './views/funnel_view';
import {nocSpecs} from './views/noc_sections';
import {launchSpec} from './views/launch_view';
import {metricSpec} from './views/overview_view';
import {siliconSpecs} from './views/silicon_sections';
import {figureSpec} from './views/study_view';
import {charts, timeSpec} from './views/time_view';
import {bankSpec, trafficSpec} from './views/where_view';

function specsOf(model: Model, c: Case): (ChartSpec | null)[] {
  const entries = usual(model, c);
  const cycles = Math.max(1, ...entries.map(e => e.run.detail?.cycles ?? 0));
  const whole = (): [number, number] => [0, cycles];
  return [
    energySpec(model, c, entries),
    funnelSpec(model, c, entries, {scale: 'one'}),
    launchSpec(c, entries, whole),
    ...charts(entries).map(shown => timeSpec(c, shown, entries, whole)),
    ...entries.filter(e => e.run.detail?.ctas).map(e => ctaSpec(c, e, whole)),
    trafficSpec(c, entries, {direction: 'requests'}),
    bankSpec(c, entries),
  ];
}

function specs({model}: App): ChartSpec[] {
  const entries = model.cases[0] ? usual(model, model.cases[0]) : [];
  const out: (ChartSpec | null)[] = [
    ...model.data.figures.map(figureSpec),
    ...(entries.length > 1 ? available(model).map(m => metricSpec(model, m, entries)) : []),
    ...model.cases.flatMap(c => specsOf(model, c)),
    ...(model.data.noc ? nocSpecs(model.data.noc) : []),
    ...(model.data.silicon ? siliconSpecs(model.data.silicon) : []),
  ];
  return out.filter((s): s is ChartSpec => s !== null);
}

export interface SavedFigure {
  name: string;
  svg: string;
  width: number;
  height: number; // CSS pixels
}

export function figures(app: App): SavedFigure[] {
  const used = new Map<string, number>();
  return specs(app).map(spec => {
    const n = (used.get(spec.name) ?? 0) + 1;
    used.set(spec.name, n);
    const svg = saved(spec);
    const root = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement;
    const [width, height] = ['width', 'height'].map(side => Number(root.getAttribute(side)));
    return {name: n === 1 ? spec.name : `${spec.name}-${n}`, svg, width: width!, height: height!};
  });
}

// With #figures the page is nothing but the figures as JSON, for a program that reads it. Returns false when they are not
// asked for.
export function writeFigures(app: App, hash: string): boolean {
  if (hash !== '#figures') return false;
  const text = JSON.stringify(figures(app)).replace(/</g, '\\u003c').replace(/>/g, '\\u003e').replace(/&/g, '\\u0026');
  document.body.replaceChildren(h('script', {type: 'application/json', id: 'heddle-figures'}, text));
  return true;
}
