// Numbers as text. A minus is U+2212, so that it is as wide as a plus.
import {format} from 'd3-format';

const minus = '\u2212';
export const none = '\u2013';
const whole = format(',d');
const fraction = format(',.4~r');
const prefixed = format('.3s');

const signed = (text: string) => text.replace(/^-/, minus);

export function count(n: number | null | undefined): string {
  return n === null || n === undefined ? none : signed(whole(Math.round(n)));
}

// Any statistic: whole numbers whole, others with four digits.
export function value(n: number | null | undefined): string {
  if (n === null || n === undefined || !Number.isFinite(n)) return none;
  return Number.isInteger(n) || Math.abs(n) >= 1e5 ? count(n) : signed(fraction(n));
}

// For axes: 12k, 1.5M.
export function brief(n: number): string {
  const sizes: [number, string][] = [
    [1e12, 'T'],
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ];
  for (const [size, letter] of sizes) {
    if (Math.abs(n) >= size) return signed(`${Number((n / size).toPrecision(3))}${letter}`);
  }
  return signed(`${Number(n.toPrecision(3))}`);
}

// 0.196 is 19.6%.
export function share(x: number | null | undefined, digits = 1): string {
  if (x === null || x === undefined || !Number.isFinite(x)) return none;
  return `${signed((100 * x).toFixed(digits))}%`;
}

// As a change: 0.196 is +19.6%. No sign for what rounds to nothing.
export function change(x: number | null | undefined, digits = 1): string {
  if (x === null || x === undefined || !Number.isFinite(x)) return none;
  const text = (100 * x).toFixed(digits);
  if (Number(text) === 0) return `${(0).toFixed(digits)}%`;
  return `${x > 0 ? '+' : minus}${text.replace('-', '')}%`;
}

// A number of a study's figure, in its unit.
export function inUnit(n: number | null, unit: string): string {
  if (n === null) return none;
  if (unit === '%') return change(n / 100);
  return unit ? `${value(n)} ${unit}` : value(n);
}

export function bytes(n: number | null): string {
  if (n === null) return none;
  const sizes: [number, string][] = [
    [1e12, 'TB'],
    [1e9, 'GB'],
    [1e6, 'MB'],
    [1e3, 'kB'],
  ];
  for (const [size, name] of sizes) {
    if (n >= size) return `${(n / size).toPrecision(3)} ${name}`;
  }
  return `${n} B`;
}

// Three digits and an SI prefix: 0.00123 J is 1.23 mJ.
export function si(n: number | null | undefined, unit: string): string {
  if (n === null || n === undefined || !Number.isFinite(n)) return none;
  const [, number, prefix] = /^(.*\d)(\D*)$/.exec(prefixed(n))!;
  return `${number} ${prefix}${unit}`;
}

export function duration(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

// For file names.
export function slug(text: string): string {
  return (
    text
      .toLowerCase()
      .replace(/\+/g, '-')
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'chart'
  );
}
