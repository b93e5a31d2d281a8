// What the picture of a funnel is drawn from, and the texts in it.
import type {Level, Place, RunFunnel} from '../data';
import {wrapped} from '../dom';
import {change, count, share} from '../format';
import {barCount, between, leftAt, type PlaceBar, type Scale, type Segment} from './layout';

export interface Drawn {
  design: string;
  headline: string; // below the name: how fast
  funnel: RunFunnel;
}

export interface Picture {
  levels: Level[];
  places: Place[];
  designs: Drawn[]; // the baseline first
  scale: Scale;
}

// What makes line requests of lanes.
export function noteOf(p: Picture, d: Drawn, width: number): string[] {
  const first = p.places[0]!.in,
    what = first > 0 ? between(p.levels, d.funnel, 0, first) : null;
  return what ? wrapped(what, 11.5, width - 8) : [];
}

// The numbers of a segment, for pointer and keyboard.
export function tipOf(p: Picture, d: Drawn, base: Drawn, bar: PlaceBar, g: Segment): string[] {
  const {place} = bar;
  const into = `${count(bar.in)} ${p.levels[place.in]!.unit} that come to ${place.name}`;
  const of = share(bar.in > 0 ? g.count / bar.in : 0);
  const before = base.funnel.count;
  if (g.kind === 'removed') {
    const was = (base.funnel.removed[bar.index] ?? []).find(x => x.by === g.by)?.count ?? 0;
    return [
      `${d.design}: ${g.by}`,
      `${count(g.count)} of the ${into} end here (${of})`,
      ...(d === base ? [] : [`${base.design}: ${count(was)}`]),
    ];
  }
  if (g.kind === 'added') {
    return [`${d.design}: ${g.by}`, `${count(g.count)} requests of its own, beside the ${into} (${of}); they go on`];
  }
  if (g.kind === 'left') {
    return [
      `${d.design}: could still merge`,
      `${count(g.count)} of the ${into} (${of})`,
      'The same was asked for here shortly before, or was under way; nothing merged them. They go on.',
    ];
  }
  return [
    `${d.design}: go on`,
    `${count(bar.out)} of the ${into} (${share(bar.in > 0 ? bar.out / bar.in : 0)}) go on as ${p.levels[place.out]!.name}`,
    ...(d === base
      ? []
      : [
          `${base.design}: ${count(before[place.out]!)} (${change(before[place.out]! > 0 ? bar.out / before[place.out]! - 1 : null)} here)`,
        ]),
  ];
}

function scaleText(p: Picture): string {
  if (p.scale === 'place') return 'Every bar is 100% of what comes to its place or is added there.';
  if (p.scale === 'baseline')
    return `At every place the dotted line is ${p.designs[0]!.design}: 100% of what comes there.`;
  const most = Math.max(...p.designs.flatMap(d => p.places.map((q, i) => barCount(q, i, d.funnel))));
  return `Bars of all places and designs have one scale: full width is ${count(most)}.`;
}

export const measured = (p: Picture) => p.designs.some(d => p.places.some((q, i) => leftAt(q, i, d.funnel) !== null));

// Below the picture: what lengths mean.
export function scaleNote(p: Picture): string {
  const unknown = 'What could still have been merged was not measured (measure.funnel).';
  return `${scaleText(p)} ${capital(p.levels[0]!.name)} are not to scale.${measured(p) ? '' : ` ${unknown}`}`;
}

export const capital = (t: string) => t.charAt(0).toUpperCase() + t.slice(1);
