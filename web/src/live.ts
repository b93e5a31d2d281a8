// A page that `heddle serve` shows: asks for the data again and takes over what is new, without losing the reader's place.
import type {App} from './app';
import {parseData} from './data';

const every = 2000;

export function startLive(app: App, tell: (state: string) => void): void {
  let last = '',
    lost = 0;
  const ask = async () => {
    if (!document.hidden) {
      try {
        const answer = await fetch('data.json', {cache: 'no-store'});
        if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
        const text = await answer.text();
        lost = 0;
        if (text !== last) {
          last = text;
          app.replaceData(parseData(text));
        }
        tell(app.model.data.live ? '' : 'Everything is finished.');
        if (!app.model.data.live) return;
      } catch (e) {
        // One answer may be lost; a server that has ended does not come back by asking faster.
        if (++lost >= 2) tell(`No news: ${(e as Error).message}. Is "heddle serve" still running?`);
      }
    }
    setTimeout(ask, lost > 5 ? 5 * every : every);
  };
  setTimeout(ask, every);
}
