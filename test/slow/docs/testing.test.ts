import { exec, execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { commandOf, filesOf, linkPackages, ROOT, TSC, snippetsOf } from '../../support/docs/snippets';

// Compiles and runs the files of docs/guides/testing.md as the page says, in a project that depends on the built package.

const PAGE = 'docs/guides/testing.md';
const run = promisify(execFile);
const runLine = promisify(exec);
const files = filesOf(PAGE);

let project: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'paysession-docs-'));
  linkPackages(project, ['@temporalio', '@types']);
  for (const name of ['eft-completed.json', 'cancelled-by-update.json'])
    await cp(join(ROOT, 'test', 'replay', 'histories', name), join(project, 'histories', name));
  for (const [name, code] of files) if (isForNode(name)) await writeFile(join(project, name), code);
  await writeFile(join(project, 'package.json'), '{"type":"commonjs"}');
  await run(process.execPath, [TSC], {
    cwd: project,
  });
});

afterAll(async () => {
  await rm(project, { recursive: true });
});

/** True if Node's own test runner needs the file. */
const isForNode = (name: string): boolean => name === 'tsconfig.json' || name.endsWith('.ts');

/** Returns the output of a failed test, for the report. */
function describeFailure(error: unknown): string {
  const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
  return stdout + stderr;
}

test('every snippet of the guide to testing belongs to a named file', () => {
  const snippets = snippetsOf(PAGE).filter(({ language }) => language !== 'sh');
  expect(snippets.filter(({ name }) => name === undefined)).toEqual([]);
});

test('in the guide to testing, the test of a workflow that waits three days has at most 25 lines', () => {
  const [, body = ''] = (files.get('order.test.ts') ?? '').split(/^(?=test\()/m);
  expect(body.trim().split('\n').length).toBeLessThanOrEqual(25);
});

// The command names paths. Without them, newer versions of Node would also run the TypeScript sources, which fail in CommonJS.
test('the guide to testing’s command for Node’s own runner passes every test of the page, and runs nothing else', async () => {
  const command = commandOf(PAGE, /^node --test/);
  const node = `"${process.execPath}" --test-reporter=tap`;
  const env = { ...process.env, NODE_OPTIONS: '', NODE_TEST_CONTEXT: undefined };
  const { stdout } = await runLine(command.replace('node', node), { cwd: project, env }).catch(
    (error: unknown) => ({ stdout: describeFailure(error) }),
  );
  expect(stdout).toMatch(/^# tests 5\n(#.*\n)*# pass 5$/m);
});
