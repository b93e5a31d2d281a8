// Charts as files.
import {h} from '../dom';
import {plainFont} from '../theme';

// A drawing as a file of its own: what only the page needs is taken out, the numbers of marks become titles.
export function standalone(drawing: SVGSVGElement): string {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('font-family', plainFont);
  for (const e of [copy, ...copy.querySelectorAll('*')]) {
    const tip = e.getAttribute('data-tip');
    if (tip) {
      const title = document.createElementNS('http://www.w3.org/2000/svg', 'title');
      title.textContent = tip;
      e.prepend(title);
    }
    for (const a of [...e.attributes]) {
      if (/^(data-|aria-|tabindex$|class$|role$)/.test(a.name) || (e !== copy && a.name === 'font-family')) e.removeAttribute(a.name);
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
