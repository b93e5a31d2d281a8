// Makes test/data/*.json: the data of pages that the program itself writes.
//
//   node test/make_data.mjs HEDDLE
//
// HEDDLE is the program: hotspot (small, with detail), 2dconv and lud (tiny, perturbed), and two figures of a study; three
// networks, and a mesh of cores and slices; eight programs beside a card. Takes about three minutes. With `noc` or `silicon`
// behind it only these.
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

const heddle = process.argv[2];
if (!heddle) throw new Error('usage: node test/make_data.mjs HEDDLE');
const work = mkdtempSync(join(tmpdir(), 'heddle-data-'));

// The data inside the page that `heddle ARGUMENTS --html` writes.
function pageOf(...args) {
  const file = join(work, 'page.html');
  execFileSync(heddle, [...args, '--html', file], {stdio: ['ignore', 'ignore', 'inherit']});
  const data = /<script type="application\/json" id="heddle-data">(.*?)<\/script>/s.exec(readFileSync(file, 'utf8'));
  return JSON.parse(data[1]);
}

const page = (store, ...args) => pageOf(...args, '--store', join(work, store));

// One network to a line.
function writeNetworks(name, ...args) {
  const {noc, ...rest} = pageOf('noc', '--warm-up', '500', '--cycles', '2000', ...args);
  rest.made.command = rest.made.command.replaceAll(work + '/', '');
  const {curves, ...about} = noc;
  const lines = curves.map(c => JSON.stringify(c)).join(',\n');
  const text = `${JSON.stringify(rest).slice(0, -1)},"noc":${JSON.stringify(about).slice(0, -1)},"curves":[\n${lines}\n]}}\n`;
  writeFileSync(new URL(`data/${name}.json`, import.meta.url), text);
}

// One launch to a line.
function writeSilicon(name) {
  const {silicon, ...rest} = pageOf('validate', 'silicon');
  rest.made.command = rest.made.command.replaceAll(work + '/', '');
  const {launches, ...about} = silicon;
  const lines = launches.map(l => JSON.stringify(l)).join(',\n');
  const text = `${JSON.stringify(rest).slice(0, -1)},"silicon":${JSON.stringify(about).slice(0, -1)},"launches":[\n${lines}\n]}}\n`;
  writeFileSync(new URL(`data/${name}.json`, import.meta.url), text);
}

// One run to a line, so that changes can be read.
function write(name, {runs, ...rest}) {
  rest.made.command = rest.made.command.replaceAll(work + '/', '');
  const head = JSON.stringify(rest).slice(0, -1);
  const lines = runs.map(r => JSON.stringify(r)).join(',\n');
  writeFileSync(new URL(`data/${name}.json`, import.meta.url), `${head},"runs":[\n${lines}\n]}\n`);
}

const only = process.argv[3] ?? '';
try {
  if (only !== 'noc') writeSilicon('silicon');
  if (only !== 'silicon') networks();
  if (!only) runs();
} finally {
  rmSync(work, {recursive: true});
}

function networks() {
  writeNetworks('networks', '--size', '4x4', '--rate', '0.05:0.9:0.05', '--compare', 'topology=mesh,ring,crossbar');
  const list = ['--set', 'mesh.placement=list', '--set', 'mesh.slice_nodes=[3, 7, 10, 12, 23, 25, 28, 32]'];
  const controllers = ['--size', '6x6', '--pattern', 'many-to-few', '--set', 'mesh.concentration=2', ...list];
  writeNetworks('mesh', '--rate', '0.02:0.4:0.02', ...controllers);
}

function runs() {
  write('hotspot', page('hotspot.db', 'compare', 'hotspot', '--scale', 'small'));
  write('several', page('several.db', 'compare', '2dconv', 'lud', '--scale', 'tiny', '--perturbations', '2'));
  const three = ['--workloads', 'hotspot,2dconv,lud', '--perturbations', 'none'];
  const study = page('study.db', 'study', 'icc', '--scale', 'tiny', '--figure', '2,10', ...three);
  for (const r of study.runs) delete r.detail; // hotspot's is enough
  write('study', study);
}
