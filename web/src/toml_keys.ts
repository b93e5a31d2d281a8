// The keys of an effective configuration as Heddle writes it: tables, then "key = value" in one line each. Only that;
// what it does not know stays as a key with the line as its value, so that no difference is lost.

export function keysOf(toml: string): Map<string, string> {
  const out = new Map<string, string>();
  let prefix = '',
    line = 0;
  for (const raw of toml.split('\n')) {
    ++line;
    const text = raw.trim();
    if (text === '' || text.startsWith('#')) continue;
    const table = /^\[\[?([^\]]+)\]\]?\s*(#.*)?$/.exec(text);
    if (table) {
      prefix = `${table[1]!.trim()}.`;
      continue;
    }
    const pair = /^("[^"]*"|[A-Za-z0-9_.-]+)\s*=\s*(.*)$/.exec(text);
    if (pair) out.set(prefix + pair[1]!, pair[2]!);
    else out.set(`${prefix}line ${line}`, text);
  }
  return out;
}

export interface Difference {
  key: string;
  values: (string | null)[]; // by configuration; null: not there
}

export function differences(configurations: string[]): Difference[] {
  const all = configurations.map(keysOf);
  const keys = new Set(all.flatMap(m => [...m.keys()]));
  const out: Difference[] = [];
  for (const key of [...keys].sort()) {
    const values = all.map(m => m.get(key) ?? null);
    if (values.some(v => v !== values[0])) out.push({key, values});
  }
  return out;
}
