// Elements. Text is always set as text: nothing of the data ever becomes HTML.

export type Child = Node | string | number | null | undefined | false | Child[];
type Value = string | number | boolean | null | undefined | ((e: never) => void);
export type Attributes = Record<string, Value>;

function fill(e: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, v] of Object.entries(attributes)) {
    if (v === null || v === undefined || v === false) continue;
    if (typeof v === 'function') e.addEventListener(name.replace(/^on/, ''), v as EventListener);
    else e.setAttribute(name, v === true ? '' : String(v));
  }
  append(e, children);
}

export function append(e: Element, children: Child[]): void {
  for (const c of children) {
    if (c === null || c === undefined || c === false) continue;
    if (Array.isArray(c)) append(e, c);
    else e.append(c instanceof Node ? c : String(c));
  }
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  fill(e, attributes, children);
  return e;
}

export const svgNamespace = 'http://www.w3.org/2000/svg';

export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const e = document.createElementNS(svgNamespace, tag);
  fill(e, attributes, children);
  return e;
}

// Rough: what a text takes in the fonts we use; a little more than it does.
export function textWidth(text: string, size: number): number {
  let units = 0;
  for (const c of text)
    units += /[ilj.,:;'|! ]/.test(c) ? 0.31 : /[MW@%]/.test(c) ? 0.9 : /[A-Z0-9+\u2212]/.test(c) ? 0.65 : 0.56;
  return units * size;
}

// At most `width` wide; what is cut off ends in an ellipsis.
export function fit(text: string, size: number, width: number): string {
  if (textWidth(text, size) <= width) return text;
  let n = text.length;
  while (n > 1 && textWidth(`${text.slice(0, n)}\u2026`, size) > width) --n;
  return `${text.slice(0, n)}\u2026`;
}

// Lines of at most `width`, broken between words.
export function wrapped(text: string, size: number, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines[lines.length - 1];
    if (last !== undefined && textWidth(`${last} ${word}`, size) <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map(l => fit(l, size, width));
}
