import { expect, test } from '@jest/globals';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newSigningKey } from '../../../ledger/log/signed-note';
import { KEEPER_METRICS } from '../../../ledger/log/keeper-metrics';
import { CLAIM } from '../../support/ledger/claim';
import { closesLater, testLedger } from '../../support/ledger/test-ledger';
import { samplesOf } from '../../support/ops/prometheus-text';
import { until } from '../../support/wait';
import { paysession, startPaysession } from '../../support/cli/run-paysession';

// `paysession ledger keep` is the keeper: a process that repeats the ledger’s jobs. It signs checkpoints, adds the missing
// entries of ended sessions, and verifies hashes.

const settings = (url: string) => ({
  TEMPORAL_ADDRESS: process.env['PAYSESSION_TEST_TEMPORAL'],
  PAYSESSION_LEDGER_URL: url,
});
const withKey = (url: string) => ({
  ...settings(url),
  PAYSESSION_LEDGER_SIGNING_KEY: newSigningKey('shop.example/ledger'),
});
/** The keeper also checks the sessions of other tests on this Temporal server. This option skips most of them: they ended earlier. */
const RECENT = ['--ended-after', '1s'];

test('a keeper logs each job, serves metrics, and stops on a signal', async () => {
  const { url, ledger } = await testLedger();
  await ledger.claim(CLAIM);
  const folder = await mkdtemp(join(tmpdir(), 'paysession-checkpoints-'));
  closesLater(() => rm(folder, { recursive: true }));
  const keeper = startPaysession(
    ['ledger', 'keep', '--publish', folder, '--metrics-port', '19465', ...RECENT],
    withKey(url),
  );
  closesLater(async () => {
    await keeper.interrupt();
  });
  await keeper.line(/Z {2}The checkpoint covers \d+ entr(?:y|ies), [1-9]\d* of them new\.$/);
  // The rest of the line may say that sessions of other tests cannot be read.
  await keeper.line(/Z {2}\d+ ended sessions? checked, \d+ fixed\./);
  await keeper.line(/Z {2}[1-9]\d* entr(?:y agrees with its hash|ies agree with their hashes)/);
  const scrape = async () => samplesOf(await (await fetch('http://127.0.0.1:19465/metrics')).text());
  const samples = await until(scrape, (all) =>
    all.every(({ name, value }) => name !== KEEPER_METRICS.lastDone.name || value > 0),
  );
  expect(new Set(samples.map(({ name }) => name))).toEqual(
    new Set(Object.values(KEEPER_METRICS).map(({ name }) => name)),
  );
  expect(samples.find(({ name }) => name === KEEPER_METRICS.entries.name)?.value).toBeGreaterThan(0);
  expect((await fetch('http://127.0.0.1:19465/livez')).status).toBe(200);
  expect(await readdir(folder)).toEqual([expect.stringMatching(/^checkpoint-\d{15}[.]txt$/)]);
  expect(await keeper.interrupt()).toBe(0);
});

test('a keeper fails at its start without a signing key, without its folder, or with an invalid earlier key', async () => {
  const { url } = await testLedger();
  const unsigned = await paysession(['ledger', 'keep', '--publish', '/tmp'], { env: settings(url) });
  expect(unsigned).toMatchObject({ code: 2, stderr: expect.stringContaining('ledger new-key NAME') });
  const nowhere = await paysession(['ledger', 'keep', '--publish', '/missing/folder'], { env: withKey(url) });
  expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('INVALID_FILE') });
  const badKey = await paysession(['ledger', 'keep', '--earlier-key', 'x'], { env: withKey(url) });
  expect(badKey).toMatchObject({ code: 2, stderr: expect.stringContaining('--earlier-key') });
});
