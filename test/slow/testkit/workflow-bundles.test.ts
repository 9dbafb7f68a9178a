import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createPaymentWorld } from '../../../testkit';
import { workflowBundle } from '../../../testkit/world/workflow-bundles';

const MODULES = join(__dirname, '..', '..', '..', 'node_modules');

let folder: string;
let kept: string;
let lines: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paysession-bundles-'));
  // The bundler finds Temporal’s SDK in this link.
  symlinkSync(MODULES, join(folder, 'node_modules'));
  kept = join(folder, 'kept');
  lines = [];
  write('order.js', "exports.order = async () => require('./shelf').shelf;");
  write('shelf.js', "exports.shelf = 'first shelf';");
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

const write = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
};

const make = async (workflowsPath = join(folder, 'order.js')) =>
  (await workflowBundle({ workflowsPath }, { folder: kept, onProgress: (line) => void lines.push(line) }))
    .code;

/** Marks all kept bundles in their code. So a test can distinguish a kept bundle from a new one. */
function mark(): void {
  for (const name of readdirSync(kept)) {
    const content = JSON.parse(readFileSync(join(kept, name), 'utf8')) as object;
    writeFileSync(join(kept, name), JSON.stringify({ ...content, code: 'kept' }));
  }
}

// A payment world bundles the user’s workflows. Bundling takes seconds, so bundles are kept in a folder.
describe('a payment world’s bundle of workflows is kept', () => {
  test('and the next world reads it from the folder', async () => {
    expect(await make()).toContain('first shelf');
    mark();
    expect(await make()).toBe('kept');
  });

  test.each([
    ['its source changes', 'order.js', "exports.order = async () => 'second shelf';"],
    ['an import of its source changes', 'shelf.js', "exports.shelf = 'second shelf';"],
    [
      'a file appears that the bundler finds before the imported one',
      'shelf.ts',
      "export const shelf: string = 'second shelf';",
    ],
  ])('until %s', async (_, name, text) => {
    await make();
    mark();
    write(name, text);
    expect(await make()).toContain('second shelf');
  });

  test('and bundled again if the kept file is incomplete', async () => {
    await make();
    for (const name of readdirSync(kept)) writeFileSync(join(kept, name), '{');
    expect(await make()).toContain('first shelf');
  });

  test('and bundled only once for worlds that start at the same time', async () => {
    const codes = await Promise.all([make(), make()]);
    expect(codes[0]).toBe(codes[1]);
    expect(readdirSync(kept)).toHaveLength(1);
    expect(lines).toEqual([]);
  });

  test('in a folder of at most twenty bundles', async () => {
    mkdirSync(kept);
    for (let old = 0; old < 30; old += 1) writeFileSync(join(kept, `${old}.json`), '{}');
    await make();
    expect(readdirSync(kept)).toHaveLength(20);
    mark();
    expect(await make()).toBe('kept');
  });
});

test('if a bundle cannot be kept, payment worlds that start at the same time report that once', async () => {
  write('kept', 'a file where the folder would be');
  const codes = await Promise.all([make(), make()]);
  expect(codes[0]).toContain('first shelf');
  expect(codes[1]).toBe(codes[0]);
  expect(lines).toEqual([expect.stringContaining('cannot be kept')]);
});

test('a payment world reports workflows that cannot be bundled', async () => {
  write('order.js', "exports.order = async () => require('./nowhere');");
  await expect(make()).rejects.toThrow('Webpack finished with errors');
});

test.each([
  [
    'workflows by two options at once',
    { workflowsPath: 'order.js', workflowBundle: { code: '' } },
    'given twice',
  ],
  ['activities without workflows', { activities: { ship: () => undefined } }, 'without workflows'],
])('a payment world refuses %s', async (_, options, said) => {
  await expect(createPaymentWorld(options)).rejects.toThrow(said);
});
