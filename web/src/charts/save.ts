// Charts as files.
import {h} from '../dom';
import {plainFont} from '../theme';

const margin = 8;

// A little room on all sides: on the page the card has it.
function frame(copy: SVGSVGElement): void {
  const [width, height] = ['width', 'height'].map(a => Number(copy.getAttribute(a)) + 2 * margin) as [number, number];
  const ground = copy.querySelector('rect')!;
  for (const e of [copy, ground]) {
    e.setAttribute('width', String(width));
    e.setAttribute('height', String(height));
  }
  for (const a of ['x', 'y']) ground.setAttribute(a, String(-margin));
  copy.setAttribute('viewBox', `${-margin} ${-margin} ${width} ${height}`);
}

// A drawing as a file of its own: what only the page needs is taken out, the numbers of marks become titles.
export function standalone(drawing: SVGSVGElement): string {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('font-family', plainFont);
  frame(copy);
  for (const e of [copy, ...copy.querySelectorAll('*')]) {
    const tip = e.getAttribute('data-tip');
    if (tip) {
      const title = document.createElementNS('http://www.w3.org/2000/svg', 'title');
      title.textContent = tip;
      e.prepend(title);
    }
    for (const a of [...e.attributes]) {
      if (/^(data-|aria-|tabindex$|class$|role$)/.test(a.name) || (e !== copy && a.name === 'font-family'))
        e.removeAttribute(a.name);
    }
  }
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}

export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], {type: `${type};charset=utf-8`}));
  const link = h('a', {href: url, download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
