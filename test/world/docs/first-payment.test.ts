import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startPaysession } from '../../support/cli/run-paysession';
import { commandOf, filesOf, linkPackages } from '../../support/docs/snippets';

/** A project with the README's order, in which its commands run as they are printed. */
let project: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'paysession-readme-'));
  linkPackages(project, ['@temporalio', '@types', '.bin']);
  await writeFile(join(project, 'package.json'), '{"type":"commonjs"}');
  for (const name of ['order.mts', 'main.mts'])
    await writeFile(join(project, name), filesOf('README.md').get(name) ?? '');
});

afterAll(async () => {
  await rm(project, { recursive: true });
});

/** Runs a command of the README against the engine at an address, and gives what it printed. */
async function run(command: string, address?: string): Promise<string> {
  const env = { ...process.env, TEMPORAL_ADDRESS: address };
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: project, env });
  return stdout;
}

test('the README’s order compiles as it is printed, takes its payment and ships', async () => {
  expect(await run(commandOf('README.md', /^npx tsc /))).toBe('');
  const ports = ['engine', 'ui', 'sandbox', 'control', 'shop', 'console'].flatMap((name) => [
    `--${name}-port`,
    '0',
  ]);
  const dev = startPaysession(['dev', '--data', join(project, '.paysession'), ...ports]);
  try {
    const address = (await dev.line(/^Temporal/)).split(/\s+/)[1];
    await dev.line(/^Ctrl-C/);
    expect(await run(commandOf('README.md', /^node /), address)).toMatch(/^order-\d+ is shipped$/m);
  } finally {
    expect(await dev.interrupt()).toBe(0);
  }
});
