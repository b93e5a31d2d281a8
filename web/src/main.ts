// The page: reads the data inside the file, or asks for it, and shows it.
import {App} from './app';
import {redrawAll, setPrinting} from './charts/chart';
import {parseData} from './data';
import {h} from './dom';
import {figures, writeFigures, type SavedFigure} from './figures';
import {buildPage} from './page';
import {choose, showDesignColours, storedChoice} from './theme';

declare global {
  interface Window {
    heddle?: {figures: () => SavedFigure[]; ready: number};
  }
}

function start(): void {
  choose(storedChoice());
  const root = document.getElementById('page')!;
  let app: App;
  try {
    app = new App(parseData(document.getElementById('heddle-data')?.textContent ?? ''));
  } catch (e) {
    root.replaceChildren(
      h('main', {}, h('h1', {}, 'Heddle report'), h('p', {class: 'problem', role: 'alert'}, (e as Error).message)),
    );
    return;
  }
  if (writeFigures(app, location.hash)) return;
  document.title = `${app.model.data.title} \u2013 Heddle`;
  buildPage(root, app);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    showDesignColours();
    redrawAll();
  });
  addEventListener('beforeprint', () => setPrinting(true));
  addEventListener('afterprint', () => setPrinting(false));
  window.heddle = {figures: () => figures(app), ready: performance.now()};
}

start();
