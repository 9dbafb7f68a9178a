// Keeps the workflow bundle that `npm run build` made, minified and compressed, so that a test can run sessions of an old
// version on a newer one. Usage: node scripts/record-bundle.mjs NAME
import { Buffer } from 'node:buffer';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { minify } from '@swc/core';

const [, , name] = process.argv;
if (name === undefined || !/^[\w.-]+$/.test(name))
  throw new Error('Usage: node scripts/record-bundle.mjs NAME');

const bundle = await readFile(new URL('../dist/worker/workflow-bundle.js', import.meta.url), 'utf8');
const [withoutSourceMap = ''] = bundle.split('//# sourceMappingURL=');
const { code } = await minify(withoutSourceMap, { compress: true, mangle: true });
// The worker wants a source map with a file's name, if otherwise an empty one.
const map = { version: 3, file: `${name}.js`, sources: [], names: [], mappings: '' };
const sourceMap = Buffer.from(JSON.stringify(map)).toString('base64');
const kept = `${code}\n//# sourceMappingURL=data:application/json;charset=utf-8;base64,${sourceMap}`;
const target = new URL(`../test/replay/bundles/${name}.js.br`, import.meta.url);
await writeFile(target, await promisify(brotliCompress)(kept));
