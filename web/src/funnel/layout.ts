// Where the parts of the funnel picture lie. Nothing is drawn here, so that it can be tested alone.
//
// Every place where requests meet is a bar as long as the requests that come to it: from the left those that go on (the
// hatched end of them could have been merged here and was not), then those that were removed here, by what removed
// them. The next place's bar begins with what went on.
import type {Level, Place, RunFunnel} from '../data';

export type Scale = 'one' | 'place' | 'baseline';

export interface Segment {
  kind: 'on' | 'left' | 'added' | 'removed';
  by: string; // of removed and added: the name of the part
  count: number;
  from: number; // 0 to 1 of the width that a design has
  until: number;
}

export interface PlaceBar {
  place: Place;
  index: number;
  in: number;
  out: number;
  left: number | null; // could have been merged here and was not; null: nobody looked
  segments: Segment[];
  length: number; // 0 to 1
  onUntil: number; // how far what goes on reaches
  reference: number | null; // with Scale 'baseline': where the baseline's bar ends
}

export interface Column {
  bars: PlaceBar[];
  above: number; // requests on the level before the first place, lanes
  end: number; // what leaves the last place
}

// What could have merged at a place and did not, as src/mem/funnel.cc has it.
export function leftAt(place: Place, index: number, f: RunFunnel): number | null {
  const could = f.could[place.in] ?? null;
  if (could === null) return null;
  return Math.max(0, could - (f.removed[index] ?? []).reduce((n, part) => n + part.count, 0));
}

// What a place made itself.
const made = (f: RunFunnel, index: number) => (f.added?.[index] ?? []).reduce((n, part) => n + part.count, 0);
// All of a place's bar: what came, and what the place added to it.
export const barCount = (place: Place, index: number, f: RunFunnel) => f.count[place.in]! + made(f, index);

// Full width stands for this many requests, by place.
function fullWidth(places: Place[], funnels: RunFunnel[], base: RunFunnel, scale: Scale): number[][] {
  const most = (values: number[]) => Math.max(1, ...values);
  if (scale === 'place') return funnels.map(f => places.map((p, i) => Math.max(1, barCount(p, i, f))));
  if (scale === 'one') {
    const all = most(funnels.flatMap(f => places.map((p, i) => barCount(p, i, f))));
    return funnels.map(() => places.map(() => all));
  }
  const ratio = most(
    funnels.flatMap(f => places.map((p, i) => (base.count[p.in]! > 0 ? barCount(p, i, f) / base.count[p.in]! : 1))),
  );
  return funnels.map(() => places.map(p => Math.max(1, base.count[p.in]!) * ratio));
}

function bar(place: Place, index: number, f: RunFunnel, full: number, reference: number | null): PlaceBar {
  const into = f.count[place.in]!,
    out = f.count[place.out]!;
  const left = leftAt(place, index, f);
  const free = Math.min(left ?? 0, out);
  const segments: Segment[] = [];
  let at = 0;
  const add = (kind: Segment['kind'], by: string, n: number) => {
    if (n <= 0) return;
    segments.push({kind, by, count: n, from: at / full, until: (at + n) / full});
    at += n;
  };
  add('on', '', Math.max(0, out - free - made(f, index)));
  add('left', '', free);
  for (const part of f.added?.[index] ?? []) add('added', part.by, part.count);
  const onUntil = at / full;
  for (const part of f.removed[index] ?? []) add('removed', part.by, part.count);
  return {place, index, in: into, out, left, segments, length: at / full, onUntil, reference};
}

export function layout(
  levels: Level[],
  places: Place[],
  funnels: RunFunnel[],
  base: RunFunnel,
  scale: Scale,
): Column[] {
  const full = fullWidth(places, funnels, base, scale);
  return funnels.map((f, i) => {
    const bars = places.map((p, k) => {
      const reference = scale === 'baseline' ? base.count[p.in]! / full[i]![k]! : null;
      return bar(p, k, f, full[i]![k]!, reference);
    });
    const last = places[places.length - 1];
    return {bars, above: levels.length > 0 ? f.count[0]! : 0, end: last ? f.count[last.out]! : 0};
  });
}

// The parts that removed or added anything, in the order of the places. Every place has two colours of its own, further parts take
// what is left, so that a part has the same colour whatever the other designs have.
export function parts(places: Place[], funnels: RunFunnel[]): {name: string; colour: number}[] {
  const known = new Map<string, {name: string; colour: number; count: number}>();
  let further = 2 * places.length;
  places.forEach((_, i) => {
    let own = 0;
    for (const f of funnels) {
      for (const {by, count} of [...(f.removed[i] ?? []), ...(f.added?.[i] ?? [])]) {
        const part = known.get(by) ?? {name: by, colour: own < 2 ? 2 * i + own++ : further++, count: 0};
        part.count += count;
        known.set(by, part);
      }
    }
  });
  return [...known.values()].filter(p => p.count > 0).map(({name, colour}) => ({name, colour}));
}

// What happens between the place before and this one, if anything changes there: lanes become line requests, a line
// several bursts.
export function between(levels: Level[], f: RunFunnel, from: number, until: number): string | null {
  const a = f.count[from]!,
    b = f.count[until]!;
  if (from === until || a === b || a === 0 || b === 0) return null;
  const by = levels[until]?.by;
  const ratio = a > b ? a / b : b / a;
  const text = String(Number(ratio.toPrecision(3)));
  const what = a > b ? `${text} become 1` : `1 becomes ${text}`;
  return by ? `${what} (${by})` : what;
}
