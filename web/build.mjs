// Makes dist/report.html: the page with all code, style and type inside, and an empty place for the data.
//
//   node build.mjs [--out FILE]
import {build} from 'esbuild';
import {mkdirSync, readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const at = process.argv.indexOf('--out');
const out = at >= 0 ? process.argv[at + 1] : join(here, 'dist', 'report.html');
const largest = 1.5e6;

const made = await build({
  entryPoints: [join(here, 'src/main.ts'), join(here, 'src/style/page.css')],
  outdir: join(here, 'dist'),
  bundle: true,
  write: false,
  minify: true,
  format: 'iife',
  target: 'es2020',
  charset: 'ascii',
  legalComments: 'none',
  metafile: true,
  loader: {'.woff2': 'dataurl'},
  logLevel: 'warning',
  absWorkingDir: here,
});
const file = end => made.outputFiles.find(f => f.path.endsWith(end)).text;

// What others wrote is inside: their licences go with it.
const packages = [
  ...new Set(
    Object.keys(made.metafile.inputs)
      .map(p => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(p)?.[1])
      .filter(Boolean),
  ),
].sort();
const licences = packages
  .map(name => {
    const folder = join(here, 'node_modules', name);
    const licence = readdirSync(folder).find(f => /^(licen[cs]e|copying)/i.test(f));
    if (!licence) throw new Error(`${name} has no licence file: it cannot go into the page`);
    return `${name}\n\n${readFileSync(join(folder, licence), 'utf8').trim()}`;
  })
  .join('\n\n----\n\n');

// Inside a script element nothing may look like its end, or like the beginning of another.
const script = file('main.js')
  .replace(/<\/script/gi, '<\\/script')
  .replace(/<!--/g, '<\\!--');
const parts = {
  STYLE: file('page.css').replace(/<\/style/gi, '<\\/style'),
  SCRIPT: script,
  LICENCES: licences.replace(/</g, '(').replace(/[^\x00-\x7f]/g, '?'),
};
const page = readFileSync(join(here, 'src/page.html'), 'utf8').replace(
  /@(STYLE|SCRIPT|LICENCES)@/g,
  (_, name) => parts[name],
);

const place = '<script type="application/json" id="heddle-data"></script>';
if (page.split(place).length !== 2) throw new Error(`the page must have ${place} exactly once`);
if (page.length > largest) throw new Error(`the page has ${page.length} bytes; at most ${largest} are allowed`);
mkdirSync(dirname(out), {recursive: true});
writeFileSync(out, page);
console.log(`${out}: ${page.length} bytes`);
