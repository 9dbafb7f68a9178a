import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { commandOf, linkPackages } from '../../support/docs/snippets';
import { firstLine, startCommand } from '../../support/examples/commands';

const README = 'examples/checkout-handler/README.md';

/** A user’s project: it has the installed package, and no clone of the repository. */
let project: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'paysession-copied-'));
  linkPackages(project, ['@temporalio', '@types', '.bin']);
  await writeFile(join(project, 'package.json'), '{"type":"commonjs"}');
});

afterAll(() => rm(project, { recursive: true }));

test('the commands of the checkout handler’s README copy the example from the package, compile it and start it', async () => {
  for (const command of [/^cp /, /^npx tsc /])
    await promisify(execFile)('sh', ['-c', commandOf(README, command)], { cwd: project });
  const settings = { TEMPORAL_ADDRESS: process.env['PAYSESSION_TEST_TEMPORAL'], PORT: '0' };
  const server = startCommand(`exec ${commandOf(README, /^node /)}`, settings, project);
  const ended = once(server, 'close');
  try {
    expect(await firstLine(server)).toMatch(/^listening on http:\S+checkout$/);
  } finally {
    server.kill();
    await ended;
  }
});
