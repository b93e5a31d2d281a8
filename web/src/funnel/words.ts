// What the funnel says, in words. Every sentence follows from counts; names come from the data.
import type {Place, RunFunnel} from '../data';
import {count, share} from '../format';
import {changes, metrics} from '../metrics';
import type {Case, Entry, Model} from '../model';
import {leftAt} from './layout';

const removedAt = (p: Place, f: RunFunnel) => f.count[p.in]! - f.count[p.out]!;
const removedShare = (p: Place, f: RunFunnel) => (f.count[p.in]! > 0 ? removedAt(p, f) / f.count[p.in]! : 0);

// 0.0812 is "8.1% fewer", -0.3 "30.0% more".
export function fewer(before: number, after: number): string | null {
  if (before <= 0) return null;
  const x = 1 - after / before;
  const text = share(Math.abs(x));
  if (text === '0.0%') return 'as many';
  return `${text} ${x > 0 ? 'fewer' : 'more'}`;
}

function speed(model: Model, c: Case, e: Entry): string | null {
  const x = changes(model, metrics[0]!, c, e);
  if (!x) return null;
  const text = share(Math.abs(x.mean));
  const range = x.low !== null && x.high !== null && Math.abs(x.mean) <= x.high - x.low;
  if (text === '0.0%') return 'as fast';
  return `${text} ${x.mean > 0 ? 'faster' : 'slower'}${range ? ' (not more than chance)' : ''}`;
}

// Where a design removes more than the baseline: the places whose removed share grew most, in the order of the flow.
function grown(places: Place[], f: RunFunnel, base: RunFunnel): {place: Place; index: number}[] {
  const least = 0.02; // less is not worth a sentence
  return places
    .map((place, index) => ({place, index, by: removedShare(place, f) - removedShare(place, base)}))
    .filter(p => p.by >= least)
    .sort((a, b) => b.by - a.by)
    .slice(0, 2)
    .sort((a, b) => a.index - b.index);
}

function growth(p: {place: Place; index: number}, f: RunFunnel, base: RunFunnel, baseName: string): string {
  const before = removedShare(p.place, base);
  const names = (f.removed[p.index] ?? [])
    .filter(x => x.count > 0)
    .map(x => x.by)
    .join(', ');
  return `${p.place.name} absorb ${share(removedShare(p.place, f))} of what comes to them (${names ? `${names}; ` : ''}${before > 0 ? share(before) : 'none'} in ${baseName})`;
}

// "44.3% faster; 44.8% fewer NoC packets; the clusters' ports absorb 19.6% of what comes to them (merge table; none in baseline)."
export function designSentence(model: Model, c: Case, e: Entry): string {
  const {levels, places} = model.data.funnel;
  const f = e.run.funnel,
    base = c.entries[0]!.run.funnel;
  const parts: string[] = [];
  const s = speed(model, c, e);
  if (s) parts.push(s);
  if (f && base && places.length > 0) {
    // Packets are what the network carries; without such a level, what leaves the machine's last place.
    const network = levels.findIndex(l => l.unit === 'packets');
    const at = network >= 0 ? network : places[places.length - 1]!.out;
    const text = fewer(base.count[at]!, f.count[at]!);
    if (text) parts.push(`${text} ${levels[at]!.name}`);
    for (const p of grown(places, f, base)) parts.push(growth(p, f, base, c.entries[0]!.design));
  }
  return parts.length > 0 ? `${parts.join('; ')}.` : 'no numbers yet.';
}

// Where most is removed, and where most is left.
export function redundancySentences(model: Model, e: Entry): string[] {
  const {levels, places} = model.data.funnel;
  const f = e.run.funnel;
  if (!f) return [];
  let part: {by: string; count: number} | null = null;
  for (const list of f.removed) for (const p of list) if (!part || p.count > part.count) part = p;
  let place = null as Place | null,
    left = 0;
  places.forEach((p, i) => {
    const n = leftAt(p, i, f);
    if (n !== null && n > left) [place, left] = [p, n];
  });
  const out: string[] = [];
  const first = places[0];
  if (part && part.count > 0 && first) {
    out.push(
      `Most is removed by ${part.by}: ${count(part.count)} requests, ${share(part.count / f.count[first.in]!)} of all ${levels[first.in]!.name}.`,
    );
  }
  if (place) {
    out.push(
      `Most is left at ${place.name}: ${count(left)} of ${count(f.count[place.in]!)} could still have been merged and were not.`,
    );
  }
  return out;
}
