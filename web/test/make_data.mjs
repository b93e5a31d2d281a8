// Makes test/data/*.json: the data of pages that the program itself writes.
//
//   node test/make_data.mjs HEDDLE
//
// HEDDLE is the program: hotspot (small, with detail), 2dconv and lud (tiny, perturbed), and two figures of a study.
// Takes about two minutes.
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

const heddle = process.argv[2];
if (!heddle) throw new Error('usage: node test/make_data.mjs HEDDLE');
const work = mkdtempSync(join(tmpdir(), 'heddle-data-'));

// The data inside the page that `heddle ARGUMENTS --html` writes.
function page(store, ...args) {
  const file = join(work, 'page.html');
  execFileSync(heddle, [...args, '--store', join(work, store), '--html', file], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const data = /<script type="application\/json" id="heddle-data">(.*?)<\/script>/s.exec(readFileSync(file, 'utf8'));
  return JSON.parse(data[1]);
}

// One run to a line, so that changes can be read.
function write(name, {runs, ...rest}) {
  rest.made.command = rest.made.command.replaceAll(work + '/', '');
  const head = JSON.stringify(rest).slice(0, -1);
  const lines = runs.map(r => JSON.stringify(r)).join(',\n');
  writeFileSync(new URL(`data/${name}.json`, import.meta.url), `${head},"runs":[\n${lines}\n]}\n`);
}

try {
  write('hotspot', page('hotspot.db', 'compare', 'hotspot', '--scale', 'small'));
  write('several', page('several.db', 'compare', '2dconv', 'lud', '--scale', 'tiny', '--perturbations', '2'));
  const three = ['--workloads', 'hotspot,2dconv,lud', '--perturbations', 'none'];
  const study = page('study.db', 'study', 'icc', '--scale', 'tiny', '--figure', '2,10', ...three);
  for (const r of study.runs) delete r.detail; // hotspot's is enough
  write('study', study);
} finally {
  rmSync(work, {recursive: true});
}
