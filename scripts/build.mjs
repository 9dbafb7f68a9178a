// Builds `dist` from scratch. Does nothing if `dist` was built from the same sources before.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
/** A file with the fingerprint of the sources from which `dist` was built. It is written last. */
const mark = join(dist, '.built-from');

const tsc = join(root, 'node_modules/@typescript/native/bin/tsc');
/** TypeScript projects. They can be built at the same time, because each writes its own files. */
const PROJECTS = [
  'tsconfig.build.json',
  'src/embed/tsconfig.commonjs.json',
  'src/embed',
  'examples/checkout/page/tsconfig.build.json',
];

const SETTINGS = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
const SCRIPTS = ['scripts/build.mjs', 'scripts/write-schemas.mjs'];

const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8'));
const inputs = [...SETTINGS, ...SCRIPTS, ...include.flatMap(filesIn)];

const fingerprint = fingerprintOf(inputs);
if (!existsSync(mark) || readFileSync(mark, 'utf8') !== fingerprint) {
  rmSync(dist, { recursive: true, force: true });
  await run(...PROJECTS.map((project) => [tsc, '-p', project]));
  for (const path of inputs.filter(isCopied)) cpSync(join(root, path), join(dist, path));
  // The package's modules are CommonJS, and the built modules for browsers are ES modules. This file says so to Node and bundlers.
  writeFileSync(join(dist, 'src/embed/module/package.json'), '{ "type": "module" }\n');
  await run(['dist/worker/build-bundle.js'], ['scripts/write-schemas.mjs']);
  writeFileSync(mark, fingerprint);
}

/**
 * Files that are copied unchanged: styles and scripts of pages, the guard of the Temporal server, and the ledger's
 * migrations.
 */
function isCopied(path) {
  return /\.(css|js|sql)$/.test(path);
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

/** Runs Node programs at the same time, each to its end. Exits with the status of the first one that fails. */
async function run(...programs) {
  const running = programs.map((args) => spawn(process.execPath, args, { cwd: root, stdio: 'inherit' }));
  const ends = await Promise.all(running.map((program) => once(program, 'close')));
  const failed = ends.find(([status]) => status !== 0);
  if (failed !== undefined) process.exit(failed[0] ?? 1);
}
