// Tables that can be sorted and, when long, filtered and turned page by page.
import {csv, type Row} from '../csv';
import {h, type Child} from '../dom';
import {count} from '../format';
import {download} from '../charts/save';

export interface Column<T> {
  name: string;
  number?: boolean;
  about?: string;
  value(row: T): string | number | null; // sorted by this, and written to CSV
  show?(row: T): Child;
}

export interface TableSpec<T> {
  id: string; // stays the same: the reader's sorting is kept by it
  label: string;
  columns: Column<T>[];
  rows: T[];
  filter?: string; // label of the filter box; none: no box
  matches?(row: T): string; // text that the filter looks at
  page?: number; // rows at once
}

interface Kept {
  sort: number; // -1: as it comes
  descending: boolean;
  filter: string;
  page: number;
}
const kept = new Map<string, Kept>();

function compare(a: string | number | null, b: string | number | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1; // what is not there comes last
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), 'en', {numeric: true});
}

export function sorted<T>(rows: T[], column: Column<T>, descending: boolean): T[] {
  const keyed = rows.map(row => ({row, key: column.value(row)}));
  keyed.sort((a, b) => {
    const c = compare(a.key, b.key);
    return descending && a.key !== null && b.key !== null ? -c : c;
  });
  return keyed.map(k => k.row);
}

class TableView<T> {
  private readonly state: Kept;
  private readonly size: number;
  private readonly head = h('tr', {});
  private readonly body = h('tbody', {});
  private readonly where = h('span', {'aria-live': 'polite'});
  private readonly back = this.turner('back', 'Back', -1);
  private readonly on = this.turner('on', 'Next', 1);

  constructor(private readonly spec: TableSpec<T>) {
    this.state = kept.get(spec.id) ?? {sort: -1, descending: false, filter: '', page: 0};
    kept.set(spec.id, this.state);
    this.size = spec.page ?? Infinity;
    spec.columns.forEach((c, i) => this.head.append(this.headCell(c, i)));
    this.fill();
  }

  element(): HTMLElement {
    const pager = h('div', {class: 'pager'}, this.where, this.back, this.on, this.saver());
    const wrap = {class: 'table-wrap', tabindex: 0, role: 'region', 'aria-label': this.spec.label};
    return h(
      'div',
      {class: 'card', 'data-table': this.spec.id},
      h('div', {class: 'table-tools'}, this.filterBox(), pager),
      h('div', wrap, h('table', {}, h('thead', {}, this.head), this.body)),
    );
  }

  private turner(id: string, name: string, by: number): HTMLButtonElement {
    const act = () => {
      this.state.page += by;
      this.fill();
    };
    return h('button', {type: 'button', class: 'small', id: `${this.spec.id}-${id}`, onclick: act}, name);
  }

  private headCell(c: Column<T>, i: number): HTMLElement {
    const {state} = this;
    const act = () => {
      if (state.sort === i && state.descending === !c.number)
        state.sort = -1; // the third time: as it came
      else [state.descending, state.sort] = [state.sort === i ? !state.descending : c.number === true, i];
      this.fill();
    };
    const button = h('button', {type: 'button', id: `${this.spec.id}-sort-${i}`, onclick: act}, c.name);
    return h('th', {class: c.number ? 'number' : null, scope: 'col', title: c.about ?? null}, button);
  }

  private filterBox(): HTMLElement {
    const {filter, id} = this.spec;
    if (!filter) return h('span', {});
    const act = (e: Event) => {
      this.state.filter = (e.target as HTMLInputElement).value;
      this.state.page = 0;
      this.fill();
    };
    const names = {placeholder: filter, 'aria-label': filter, value: this.state.filter};
    return h('input', {type: 'search', id: `${id}-filter`, ...names, oninput: act});
  }

  private saver(): HTMLElement {
    const {columns, id, label} = this.spec;
    const act = () => {
      const rows = this.chosen().map((r): Row => columns.map(c => c.value(r)));
      download(`${id}.csv`, 'text/csv', csv([columns.map(c => c.name), ...rows]));
    };
    const names = {'data-save': 'csv', 'aria-label': `Save "${label}" as CSV`};
    return h('button', {type: 'button', class: 'small', ...names, onclick: act}, 'CSV');
  }

  // What the filter leaves, sorted.
  private chosen(): T[] {
    const {rows, matches, columns} = this.spec;
    const words = this.state.filter.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (r: T) => {
      const text = matches!(r).toLowerCase();
      return words.every(w => text.includes(w));
    };
    const left = words.length === 0 || !matches ? rows : rows.filter(fits);
    const by = columns[this.state.sort];
    return by ? sorted(left, by, this.state.descending) : left;
  }

  private row(row: T): HTMLElement {
    const cell = (c: Column<T>, i: number) => {
      const names = {class: c.number ? 'number' : null, scope: i === 0 ? 'row' : null};
      return h(i === 0 ? 'th' : 'td', names, c.show ? c.show(row) : c.value(row));
    };
    return h('tr', {}, this.spec.columns.map(cell));
  }

  private fill(): void {
    const {state, size} = this;
    const rows = this.chosen();
    const pages = Math.max(1, Math.ceil(rows.length / size));
    state.page = Math.max(0, Math.min(state.page, pages - 1));
    const from = size === Infinity ? 0 : state.page * size;
    this.body.replaceChildren(...rows.slice(from, from + size).map(r => this.row(r)));
    [...this.head.children].forEach((th, i) =>
      th.setAttribute('aria-sort', i !== state.sort ? 'none' : state.descending ? 'descending' : 'ascending'),
    );
    this.where.textContent =
      rows.length === 0
        ? 'nothing matches'
        : pages > 1
          ? `${count(from + 1)} to ${count(Math.min(rows.length, from + size))} of ${count(rows.length)}`
          : rows.length > 10
            ? `${count(rows.length)} rows`
            : '';
    this.back.hidden = this.on.hidden = pages === 1;
    this.back.disabled = state.page === 0;
    this.on.disabled = state.page === pages - 1;
  }
}

export function table<T>(spec: TableSpec<T>): HTMLElement {
  return new TableView(spec).element();
}
