// Colours of charts, light and dark. A chart is drawn with one of them; what is saved or printed is always light.
// Every colour of a mark has a contrast of at least 3 against its background (test/unit/theme.test.ts), neighbours
// differ in lightness, and colour is never the only sign: parts have labels, series have dashes and shapes.

export interface Paint {
  name: 'light' | 'dark';
  background: string;
  ink: string;
  muted: string;
  grid: string;
  flow: string; // what goes on
  ribbon: string; // between places
  could: string; // what could have been merged and was not
  paper: string; // the mark of a paper's number
  good: string;
  bad: string;
  designs: string[]; // the baseline first
  parts: string[]; // light and dark in turn, so that the parts of one place differ in lightness
  ramp: [string, string]; // ends of a sequential scale: nothing, most
}

export const light: Paint = {
  name: 'light',
  background: '#ffffff',
  ink: '#171b21',
  muted: '#56606c',
  grid: '#e2e6ea',
  flow: '#8190a1',
  ribbon: '#eceff3',
  could: '#c2500f',
  paper: '#171b21',
  good: '#1b7a44',
  bad: '#b3261e',
  designs: [
    '#6b7682',
    '#1f63b4',
    '#c2500f',
    '#12806f',
    '#8d3aa6',
    '#8a6a00',
    '#3f7d1f',
    '#b02a56',
    '#0e7c9c',
    '#5a4fcf',
  ],
  parts: ['#2159a5', '#4a93c4', '#5b3596', '#b06cc0', '#17684c', '#5a9b45', '#6d4c1f', '#a8843a', '#8c2f39', '#cc6f76'],
  ramp: ['#eef3f8', '#123f75'],
};

export const dark: Paint = {
  name: 'dark',
  background: '#171b21',
  ink: '#e9ecf0',
  muted: '#a7b0bb',
  grid: '#2e353e',
  flow: '#7b8a9b',
  ribbon: '#232a32',
  could: '#f28c4b',
  paper: '#ffffff',
  good: '#66c08a',
  bad: '#f2867c',
  designs: [
    '#9aa5b1',
    '#6ea8ee',
    '#f28c4b',
    '#4cc2ad',
    '#cf8ae6',
    '#d9b740',
    '#8fcc6a',
    '#f283a6',
    '#5cc4e4',
    '#a79df5',
  ],
  parts: ['#4d8bdc', '#9cd0f0', '#8f6bd1', '#e0aaf0', '#3f9f7a', '#a5dc8c', '#b08a4e', '#ecd08e', '#cf6470', '#f5aab0'],
  ramp: ['#222a33', '#8fc1ff'],
};

export const dashes = ['', '9 3', '2.5 2.5', '10 3 2.5 3', '16 3', '5 2.5', '1.5 2', '10 2 2 2 2 2', '6 5', '3 1.5'];

// Plain fonts: saved figures must look the same in a paper.
export const chartFont = 'Inter, Helvetica, Arial, sans-serif';
export const plainFont = 'Helvetica, Arial, sans-serif';

export type Choice = 'system' | 'light' | 'dark';
const key = 'heddle-theme';

export function storedChoice(): Choice {
  try {
    const v = localStorage.getItem(key);
    return v === 'light' || v === 'dark' ? v : 'system';
  } catch {
    return 'system'; // a page opened from a file may have no storage
  }
}

export function choose(choice: Choice): void {
  if (choice === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = choice;
  try {
    if (choice === 'system') localStorage.removeItem(key);
    else localStorage.setItem(key, choice);
  } catch {
    // as above
  }
  showDesignColours();
}

// For swatches in tables and sentences, which the style sheet colours.
export function showDesignColours(): void {
  current().designs.forEach((colour, i) => document.documentElement.style.setProperty(`--design-${i}`, colour));
}

export function current(): Paint {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === 'light') return light;
  if (chosen === 'dark') return dark;
  return matchMedia('(prefers-color-scheme: dark)').matches ? dark : light;
}

function luminance(hex: string): number {
  const channel = (i: number) => {
    const c = parseInt(hex.slice(i, i + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

// As WCAG defines it.
export function contrast(a: string, b: string): number {
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

// Between two colours, for heat maps.
export function mix(a: string, b: string, t: number): string {
  const at = (hex: string, i: number) => parseInt(hex.slice(i, i + 2), 16);
  return `#${[1, 3, 5]
    .map(i =>
      Math.round(at(a, i) + (at(b, i) - at(a, i)) * t)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}
