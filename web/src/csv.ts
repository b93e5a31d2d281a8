// CSV as RFC 4180 has it.
export type Row = (string | number | null | undefined)[];

function field(v: string | number | null | undefined): string {
  if (v === null || v === undefined) return '';
  if (typeof v === 'number') return String(v);
  // A spreadsheet takes text that begins like this for a formula.
  const text = /^[=@\t\r]|^[+-](?![\d.]|$)/.test(v) ? `'${v}` : v;
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

export function csv(rows: Row[]): string {
  return rows.map(r => `${r.map(field).join(',')}\r\n`).join('');
}
