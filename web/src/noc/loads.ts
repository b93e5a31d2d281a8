// What follows from the numbers of `heddle noc`, without drawing.
import type {LoadPoint, Noc, NocCurve} from '../data';
import {colours} from '../model';

export const colourOf = (index: number) => (index + 1) % colours; // the first is the colour of baselines

// The rate that a page shows first: the last that keeps up, else the lowest.
export function usualRate(c: NocCurve): number {
  let last = 0;
  c.points.forEach((p, i) => {
    if (p.keeps_up) last = i;
  });
  return last;
}

export const load = (p: LoadPoint, flits: number) => (p.network_cycles > 0 ? flits / p.network_cycles : 0);

export interface Loaded {
  index: number;
  name: string;
  flits: number;
}

// Most first; of equal ones the first.
function busiest(names: string[], flits: number[], most: number): Loaded[] {
  return names
    .map((name, index) => ({index, name, flits: flits[index] ?? 0}))
    .sort((a, b) => b.flits - a.flits || a.index - b.index)
    .slice(0, most);
}

export function busiestLinks(c: NocCurve, p: LoadPoint, most: number): Loaded[] {
  return busiest(
    c.links.map(l => l.name),
    p.link_flits,
    most,
  );
}

export function busiestOutputs(c: NocCurve, p: LoadPoint, most: number): Loaded[] {
  return busiest(
    p.output_flits.map((_, i) => `${c.receivers} ${i}`),
    p.output_flits,
    most,
  );
}

// The end of a scale that all rates of all curves share.
export function highest(noc: Noc, of: 'link_flits' | 'output_flits'): number {
  let most = 0;
  for (const c of noc.curves) for (const p of c.points) for (const n of p[of]) most = Math.max(most, load(p, n));
  return most || 1;
}

// Who stands at a router.
export interface Stand {
  senders: number[]; // inputs
  receivers: number[]; // outputs
}

export function stands(c: NocCurve): Stand[] {
  const f = c.floor!;
  const all = Array.from({length: f.width * f.height}, (): Stand => ({senders: [], receivers: []}));
  f.inputs.forEach((router, i) => all[router]!.senders.push(i));
  f.outputs.forEach((router, o) => all[router]!.receivers.push(o));
  return all;
}

function range(kind: string, ports: number[]): string {
  const first = ports[0]!,
    last = ports[ports.length - 1]!;
  if (ports.length === 1) return `${kind} ${first}`;
  return last - first + 1 === ports.length ? `${kind}s ${first} to ${last}` : `${kind}s ${ports.join(', ')}`;
}

// "core 3", "cores 4 to 7", "slice 1"; a node that sends and receives is told once.
export function standing(c: NocCurve, at: Stand): string[] {
  const out = at.senders.length > 0 ? [range(c.senders, at.senders)] : [];
  if (at.receivers.length > 0) {
    const text = range(c.receivers, at.receivers);
    if (!out.includes(text)) out.push(text);
  }
  return out;
}

// The same in a few letters: "C3", "C4\u20137".
export function shortly(text: string): string {
  return text.replace(
    /^(\w)[a-z]* (\d+)(?: to (\d+)|(?:, .*))?$/,
    (all: string, letter: string, a: string, b?: string) =>
      all.includes(',') ? `${letter.toUpperCase()}${a}\u2026` : `${letter.toUpperCase()}${a}${b ? `\u2013${b}` : ''}`,
  );
}
