// Tables that can be sorted and, when long, filtered and turned page by page.
import {csv, type Row} from '../csv';
import {h, type Child} from '../dom';
import {count} from '../format';
import {download} from '../charts/save';

export interface Column<T> {
  name: string;
  number?: boolean;
  about?: string;
  value(row: T): string | number | null;  // sorted by this, and written to CSV
  show?(row: T): Child;
}

export interface TableSpec<T> {
  id: string;  // stays the same: the reader's sorting is kept by it
  label: string;
  columns: Column<T>[];
  rows: T[];
  filter?: string;  // label of the filter box; none: no box
  matches?(row: T): string;  // text that the filter looks at
  page?: number;  // rows at once
}

interface Kept {
  sort: number;  // -1: as it comes
  descending: boolean;
  filter: string;
  page: number;
}
const kept = new Map<string, Kept>();

function compare(a: string | number | null, b: string | number | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;  // what is not there comes last
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

export function table<T>(spec: TableSpec<T>): HTMLElement {
  const state: Kept = kept.get(spec.id) ?? {sort: -1, descending: false, filter: '', page: 0};
  kept.set(spec.id, state);
  const size = spec.page ?? Infinity;
  const head = h('tr', {});
  const body = h('tbody', {});
  const where = h('span', {'aria-live': 'polite'});
  const back = h('button', {type: 'button', class: 'small', id: `${spec.id}-back`, onclick: () => turn(-1)}, 'Back');
  const on = h('button', {type: 'button', class: 'small', id: `${spec.id}-on`, onclick: () => turn(1)}, 'Next');
  const turn = (by: number) => {
    state.page += by;
    fill();
  };
  const chosen = () => {
    const words = state.filter.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = words.length === 0 || !spec.matches ? spec.rows : spec.rows.filter(r => {
      const text = spec.matches!(r).toLowerCase();
      return words.every(w => text.includes(w));
    });
    const by = spec.columns[state.sort];
    return by ? sorted(rows, by, state.descending) : rows;
  };
  const fill = () => {
    const rows = chosen();
    const pages = Math.max(1, Math.ceil(rows.length / size));
    state.page = Math.max(0, Math.min(state.page, pages - 1));
    const from = state.page * (size === Infinity ? 0 : size);
    body.replaceChildren(...rows.slice(from, from + size).map(row => h('tr', {}, spec.columns.map((c, i) => h(i === 0 ? 'th' : 'td',
      {class: c.number ? 'number' : null, scope: i === 0 ? 'row' : null}, c.show ? c.show(row) : c.value(row))))));
    [...head.children].forEach((th, i) => th.setAttribute('aria-sort', i !== state.sort ? 'none' : state.descending ? 'descending' : 'ascending'));
    where.textContent = rows.length === 0 ? 'nothing matches' : pages === 1 ? (rows.length > 10 ? `${count(rows.length)} rows` : '') : `${count(from + 1)} to ${count(Math.min(rows.length, from + size))} of ${count(rows.length)}`;
    back.hidden = on.hidden = pages === 1;
    back.disabled = state.page === 0;
    on.disabled = state.page === pages - 1;
  };
  spec.columns.forEach((c, i) => head.append(h('th', {class: c.number ? 'number' : null, scope: 'col', title: c.about ?? null},
    h('button', {type: 'button', id: `${spec.id}-sort-${i}`, onclick: () => {
      if (state.sort === i && state.descending === !c.number) state.sort = -1;  // the third time: as it came
      else [state.descending, state.sort] = [state.sort === i ? !state.descending : c.number === true, i];
      fill();
    }}, c.name))));
  fill();
  const save = h('button', {type: 'button', class: 'small', 'data-save': 'csv', 'aria-label': `Save "${spec.label}" as CSV`,
    onclick: () => download(`${spec.id}.csv`, 'text/csv', csv([spec.columns.map(c => c.name), ...chosen().map((r): Row => spec.columns.map(c => c.value(r)))]))}, 'CSV');
  const box = spec.filter ? h('input', {type: 'search', id: `${spec.id}-filter`, placeholder: spec.filter, 'aria-label': spec.filter, value: state.filter,
    oninput: (e: Event) => {
      state.filter = (e.target as HTMLInputElement).value;
      state.page = 0;
      fill();
    }}) : h('span', {});
  return h('div', {class: 'card', 'data-table': spec.id}, h('div', {class: 'table-tools'}, box, h('div', {class: 'pager'}, where, back, on, save)),
    h('div', {class: 'table-wrap', tabindex: 0, role: 'region', 'aria-label': spec.label}, h('table', {}, h('thead', {}, head), body)));
}
