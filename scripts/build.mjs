// Builds `dist` from nothing, unless it was built from the same sources before.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
/** Holds the mark of the sources that `dist` was built from; written last. */
const mark = join(dist, '.built-from');

const tsc = join(root, 'node_modules/typescript/bin/tsc');

const SETTINGS = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
const SCRIPTS = ['scripts/build.mjs', 'scripts/mark-modules.mjs'];

const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8'));
const inputs = [...SETTINGS, ...SCRIPTS, ...[...include, 'embed'].flatMap(filesIn)];

const fingerprint = fingerprintOf(inputs);
if (!existsSync(mark) || readFileSync(mark, 'utf8') !== fingerprint) {
  rmSync(dist, { recursive: true, force: true });
  run(tsc, '-p', 'tsconfig.build.json');
  run(tsc, '-p', 'embed/tsconfig.commonjs.json');
  run(tsc, '-p', 'embed');
  run(tsc, '-p', 'examples/checkout/page/tsconfig.build.json');
  run('scripts/mark-modules.mjs');
  run('dist/worker/build-bundle.js');
  writeFileSync(mark, fingerprint);
}

function filesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(join(root, path)).isFile())
    .sort();
}

function fingerprintOf(paths) {
  const hash = createHash('sha256').update(process.version);
  for (const path of paths) {
    const content = readFileSync(join(root, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** Runs a program of Node; ends with the status of the first that fails. */
function run(...args) {
  try {
    execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  } catch (error) {
    process.exit(error.status ?? 1);
  }
}
