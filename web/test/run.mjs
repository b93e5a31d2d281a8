// Runs tests with node's own runner, after esbuild has made JavaScript of them:
//
//   [ONLY=name] node test/run.mjs [unit] [browser]
import {build} from 'esbuild';
import {spawnSync} from 'node:child_process';
import {readdirSync, rmSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const kinds = process.argv.slice(2).length > 0 ? process.argv.slice(2) : ['unit', 'browser'];
const files = kinds.flatMap(kind =>
  readdirSync(join(here, kind))
    .filter(f => f.endsWith('.test.ts'))
    .map(f => join(here, kind, f)),
);
const outdir = join(here, '..', 'dist', 'test');
rmSync(outdir, {recursive: true, force: true});
await build({
  entryPoints: files,
  outdir,
  outbase: here,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node18',
  packages: 'external',
  outExtension: {'.js': '.mjs'},
  logLevel: 'warning',
  define: {'import.meta.dirname': JSON.stringify(here)},
});
const made = kinds.flatMap(kind => readdirSync(join(outdir, kind)).map(f => join(outdir, kind, f)));
const ran = spawnSync(
  process.execPath,
  ['--test', '--test-reporter=tap', ...(process.env.ONLY ? ['--test-name-pattern', process.env.ONLY] : []), ...made],
  {stdio: 'inherit'},
);
process.exit(ran.status ?? 1);
