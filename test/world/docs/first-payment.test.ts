import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { FREE_PORTS } from '../../support/cli/dev';
import { startPaysession } from '../../support/cli/run-paysession';
import { commandOf, filesOf, linkPackages } from '../../support/docs/snippets';

/** A project with the files that the README and the quickstart print. The pages’ commands run in this project as printed. */
let project: string;
const QUICKSTART = 'docs/quickstart.md';

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'paysession-readme-'));
  linkPackages(project, ['@temporalio', '@types', '.bin']);
  await writeFile(join(project, 'package.json'), '{"type":"commonjs"}');
  for (const [name, text] of [...filesOf('README.md'), ...filesOf(QUICKSTART)])
    await writeFile(join(project, name), text);
});

afterAll(async () => {
  await rm(project, { recursive: true });
});

/** Runs a command against the Temporal server at an address. Resolves with what it printed. */
async function run(command: string, address?: string): Promise<string> {
  const env = { ...process.env, TEMPORAL_ADDRESS: address };
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: project, env });
  return stdout;
}

test('the README’s program takes a payment, and the quickstart’s order workflow compiles as printed and ships the order', async () => {
  expect(await run(commandOf(QUICKSTART, /^npx tsc /))).toBe('');
  const dev = startPaysession(['dev', '--data', join(project, '.paysession'), ...FREE_PORTS]);
  try {
    const address = (await dev.line(/^Temporal/)).split(/\s+/)[1];
    await dev.line(/^Ctrl-C/);
    expect(await run(commandOf('README.md', /^node /), address)).toMatch(
      /^order-\d+ http\S+\ntrue EFT0301\n$/,
    );
    expect(await run(commandOf(QUICKSTART, /^node /), address)).toMatch(/^order-\d+ is shipped$/m);
  } finally {
    expect(await dev.interrupt()).toBe(0);
  }
});
