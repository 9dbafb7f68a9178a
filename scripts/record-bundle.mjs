// Stores the workflow bundle of a release, minified and compressed. Tests use it to run sessions of that release and continue them on newer
// code. Usage: node scripts/record-bundle.mjs NAME [FOLDER] [BUNDLE]. By default, FOLDER is test/replay/bundles, and BUNDLE is the result
// of `npm run build`.
import { Buffer } from 'node:buffer';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { minify } from '@swc/core';

const pathOf = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url));

const [, , name, folder = pathOf('test/replay/bundles'), source = pathOf('dist/worker/workflow-bundle.js')] =
  process.argv;
if (name === undefined || !/^[\w.-]+$/.test(name))
  throw new Error('Usage: node scripts/record-bundle.mjs NAME [FOLDER] [BUNDLE]');

const bundle = await readFile(source, 'utf8');
const [withoutSourceMap = ''] = bundle.split('//# sourceMappingURL=');
const { code } = await minify(withoutSourceMap, { compress: true, mangle: true });
// The worker requires a source map with a file name. The map may be empty.
const map = { version: 3, file: `${name}.js`, sources: [], names: [], mappings: '' };
const sourceMap = Buffer.from(JSON.stringify(map)).toString('base64');
const kept = `${code}\n//# sourceMappingURL=data:application/json;charset=utf-8;base64,${sourceMap}`;
await mkdir(folder, { recursive: true });
await writeFile(join(folder, `${name}.js.br`), await promisify(brotliCompress)(kept));
