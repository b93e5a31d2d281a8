// What the views share: the model, what the reader has chosen, and a way to tell that something changed.
import type {PageData} from './data';
import {colours, giveColours, Model, type Case, type Entry} from './model';

export const mostDesigns = colours; // at once

const usualDesigns = 5; // beside each other on a wide screen

// Without a choice: all where they fit, else the baseline and the fastest, in their order.
export function usual(model: Model, c: Case): Entry[] {
  if (c.entries.length <= usualDesigns) return c.entries;
  const time = (e: Entry) => model.stat(e.run, 'gpu.picoseconds') ?? model.stat(e.run, 'gpu.cycles') ?? Infinity;
  const fastest = c.entries
    .slice(1)
    .sort((a, b) => time(a) - time(b) || a.index - b.index)
    .slice(0, usualDesigns - 1);
  return giveColours(c.entries.filter(e => e.index === 0 || fastest.includes(e)));
}

export class App {
  model: Model;
  private caseKey = '';
  private chosen: Set<string> | null = null; // names of designs; null: the usual ones
  private readonly listeners: (() => void)[] = [];

  constructor(data: PageData) {
    this.model = new Model(data);
    this.caseKey = this.model.cases[0]?.key ?? '';
  }

  get case(): Case | null {
    return this.model.cases.find(c => c.key === this.caseKey) ?? this.model.cases[0] ?? null;
  }

  get hasChosen(): boolean {
    return this.chosen !== null;
  }

  // The chosen designs of the case, the baseline always among them and first.
  get entries(): Entry[] {
    const c = this.case;
    if (!c) return [];
    const chosen = this.chosen;
    if (!chosen) return usual(this.model, c);
    return giveColours(c.entries.filter(e => e.index === 0 || chosen.has(e.design)).slice(0, mostDesigns));
  }

  chooseCase(key: string): void {
    this.caseKey = key;
    this.changed();
  }

  chooseDesigns(names: string[]): void {
    this.chosen = new Set(names);
    this.changed();
  }

  replaceData(data: PageData): void {
    this.model = new Model(data);
    this.changed();
  }

  onChange(f: () => void): void {
    this.listeners.push(f);
  }

  private changed(): void {
    for (const f of this.listeners) f();
  }
}
