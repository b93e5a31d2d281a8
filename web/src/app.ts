// What the views share: the model, what the reader has chosen, and a way to tell that something changed.
import type {PageData} from './data';
import {Model, type Case, type Entry} from './model';

export const mostDesigns = 10;  // at once: as many as there are colours

export class App {
  model: Model;
  private caseKey = '';
  private chosen: Set<string> | null = null;  // names of designs; null: the first few
  private readonly listeners: (() => void)[] = [];

  constructor(data: PageData) {
    this.model = new Model(data);
    this.caseKey = this.model.cases[0]?.key ?? '';
  }

  get case(): Case | null {
    return this.model.cases.find(c => c.key === this.caseKey) ?? this.model.cases[0] ?? null;
  }

  // The chosen designs of the case, the baseline always among them and first.
  get entries(): Entry[] {
    const c = this.case;
    if (!c) return [];
    const chosen = this.chosen;
    if (!chosen) return c.entries.slice(0, 4);
    return c.entries.filter(e => e.index === 0 || chosen.has(e.design)).slice(0, mostDesigns);
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
