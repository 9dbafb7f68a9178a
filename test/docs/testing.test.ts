import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

/** The snippets of docs/testing.md, as files of a project that depends on the built package. */

const ROOT = join(__dirname, '..', '..');
const run = promisify(execFile);

let project: string;
let snippets: ReadonlyMap<string, string>;

beforeAll(async () => {
  snippets = snippetsOf(await readFile(join(ROOT, 'docs', 'testing.md'), 'utf8'));
  project = await mkdtemp(join(tmpdir(), 'paysession-docs-'));
  await mkdir(join(project, 'node_modules'));
  await symlink(ROOT, join(project, 'node_modules', 'paysession'));
  for (const scope of ['@temporalio', '@types'])
    await symlink(join(ROOT, 'node_modules', scope), join(project, 'node_modules', scope));
  for (const name of ['eft-completed.json', 'cancelled-by-update.json'])
    await cp(join(ROOT, 'test', 'replay', 'histories', name), join(project, 'histories', name));
  for (const [name, code] of snippets) await writeFile(join(project, name), code);
  await writeFile(join(project, 'package.json'), '{"type":"commonjs"}');
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS }));
  await run(process.execPath, [join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', project]);
}, 60_000);

afterAll(async () => {
  await rm(project, { recursive: true });
});

const OPTIONS = {
  target: 'es2022',
  module: 'node20',
  strict: true,
  skipLibCheck: true,
  types: ['node'],
};

/** Code blocks that a comment before them gives a file name, without the indentation that a list gives them. */
function snippetsOf(markdown: string): ReadonlyMap<string, string> {
  const blocks = markdown.matchAll(/^( *)<!-- file: (\S+) -->\n\n *```ts\n([\s\S]*?)^ *```$/gm);
  return new Map(
    Array.from(blocks, ([, indent = '', name = '', code = '']) => [
      name,
      code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    ]),
  );
}

/** What a test that failed printed, for the report. */
function describeFailure(error: unknown): string {
  const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
  return stdout + stderr;
}

test('every snippet has a file', async () => {
  const markdown = await readFile(join(ROOT, 'docs', 'testing.md'), 'utf8');
  expect(snippets.size).toBe(markdown.match(/^ *```ts$/gm)?.length);
});

test('the test of a workflow that waits three days has at most 25 lines', () => {
  const [, body = ''] = (snippets.get('order.test.ts') ?? '').split(/^(?=test\()/m);
  expect(body.trim().split('\n').length).toBeLessThanOrEqual(25);
});

test.each([
  ['order.test.js', 1],
  ['faults.test.js', 2],
  ['replay.test.js', 1],
])(
  '%s passes',
  async (file, tests) => {
    const env = { ...process.env, NODE_OPTIONS: '', NODE_TEST_CONTEXT: undefined };
    const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap', join(project, file)], {
      env,
    }).catch((error: unknown) => ({ stdout: describeFailure(error) }));
    expect(stdout).toMatch(new RegExp(`^# pass ${tests}$`, 'm'));
  },
  120_000,
);
