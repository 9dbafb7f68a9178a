import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pack, run } from './consumer-project';

/** A user's project in which npm alone decided what lies where: `@temporalio` packages may get a protobufjs each. */
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paysession-installed-'));
  const { filename } = await pack(folder);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'shop', private: true }));
  const args = ['install', join(folder, filename), '--prefer-offline', '--no-audit', '--no-fund'];
  const { ok, output } = await run('npm', args, folder);
  if (!ok) throw new Error(`npm could not install the package: ${output}`);
}, 180_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

const EXPORT = `
const { createPaymentWorld, exportSession } = require('paysession/testing');
const payor = { firstName: 'Avery', lastName: 'Tremblay', email: 'avery@example.com' };
const request = { type: 'EFT', direction: 'DEBIT', amount: 25, options: { guarantee: { enable: false } }, payor };
(async () => {
  const world = await createPaymentWorld();
  const { session, sessionId } = await world.sessions.open({ key: 'order-1', request });
  await world.payor(sessionId).completes();
  await session.result();
  const [{ json }] = await exportSession(world.client, 'order-1');
  require('node:fs').writeFileSync('recorded.json', json);
  await world.close();
})();`;

test('a session of a world is exported and replays', async () => {
  expect(await run(process.execPath, ['-e', EXPORT], folder)).toEqual({ ok: true, output: '' });
  const cli = join(folder, 'node_modules', '.bin', 'paysession');
  expect(await run(cli, ['replay', 'recorded.json'], folder)).toMatchObject({ ok: true });
  const recorded = join(__dirname, '..', 'replay', 'histories');
  const { output } = await run(cli, ['replay', recorded], folder);
  expect(output).toMatch(/^\d{3} replayed: all replay$/m);
}, 60_000);
