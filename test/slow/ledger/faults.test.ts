import { expect, test } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../../src/temporal-server/start-postgres';
import { migrate, type LedgerFact, type LedgerSession, type PaymentLedger } from '../../../ledger';
import { newSigningKey, readSigningKey } from '../../../ledger/log/signed-note';
import { readCacheFolder } from '../../../src/settings';
import { completing, leftOpen } from '../../support/requests';
import { stateOf } from '../../support/wait';
import { CLAIM } from '../../support/ledger/claim';
import { worldOn } from '../../support/ledger/ledger-world';
import { closesLater, connectTo, openLedger, testLedger } from '../../support/ledger/test-ledger';
import { openServerRelay } from '../../support/ledger/server-relay';

const at = '2026-03-01T12:00:00.000Z';
const opened: LedgerFact = { kind: 'opened', at, sessionId: 'session-1', how: 'create' };
const seen = (number: number, status: string, when = at): LedgerFact => ({
  kind: 'state',
  at: when,
  number,
  status,
  source: 'poll',
});

const numbersOf = async (ledger: PaymentLedger, key = CLAIM.key) =>
  (await ledger.entriesOf(key)).map(({ number }) => number);

test('if PostgreSQL’s disk is full, the ledger’s calls fail with a remedy and write nothing, and work again once there is space', async () => {
  const { ledger, database } = await testLedger();
  await ledger.claim(CLAIM);
  // The trigger fails on the last table that an entry is written to. So the earlier writes must be rolled back.
  await database.query(`create function full_disk() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$`);
  await database.query(`create trigger full_disk before insert or update on paysession_ledger.claims
    for each row execute function full_disk()`);
  const full = { code: 'LEDGER_UNAVAILABLE', message: expect.stringMatching(/disk .*full.*Make room/) };
  await expect(ledger.record(CLAIM, [opened, seen(1, 'Initiated')])).rejects.toMatchObject(full);
  await expect(ledger.claim({ ...CLAIM, key: 'order-2' })).rejects.toMatchObject(full);
  expect(await ledger.entriesOf('order-2')).toEqual([]);
  expect(await database.query('select 1 from paysession_ledger.session_keys')).toHaveLength(1);
  await database.query('drop trigger full_disk on paysession_ledger.claims');
  expect(await ledger.claim({ ...CLAIM, key: 'order-2' })).toEqual({ outcome: 'claimed' });
  expect(await ledger.record(CLAIM, [opened, seen(1, 'Initiated')])).toBe(2);
  expect(await numbersOf(ledger)).toEqual([1, 2, 3]);
  expect(await ledger.verify()).not.toHaveProperty('fault');
});

test('if the answer to the ledger’s commit was lost, the repeated call records nothing twice and leaves no gap', async () => {
  const own = await testLedger();
  const relay = await openServerRelay(own.url);
  const far = openLedger(relay.url);
  const repeated = async <T>(call: () => Promise<T>): Promise<T> => {
    relay.loseNextAnswer();
    await expect(call()).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
    return call();
  };
  expect(await repeated(() => far.claim(CLAIM))).toEqual({ outcome: 'claimed' });
  expect(await repeated(() => far.record(CLAIM, [opened, seen(1, 'Initiated')]))).toBe(0);
  expect(await far.record(CLAIM, [seen(1, 'Initiated'), seen(2, 'Completed')])).toBe(1);
  const erasure = { by: 'Bea', reason: 'request 77' };
  expect(await repeated(() => far.erase('order-1', erasure))).toBe(false);
  expect(await numbersOf(own.ledger)).toEqual([1, 2, 3, 4, 5]);
  expect(await own.ledger.verify()).not.toHaveProperty('fault');
});

test('if the clock goes back between two entries of the ledger, their order and proofs stay correct', async () => {
  const clock = { now: Date.parse('2026-03-01T13:00:00.000Z') };
  const { ledger } = await testLedger({ now: () => clock.now });
  const signer = readSigningKey(newSigningKey('shop.example/ledger'));
  if (signer === undefined) throw new Error('the key is not read');
  const earlier = '2026-03-01T10:00:00.000Z';
  await ledger.claim(CLAIM);
  await ledger.record(CLAIM, [opened, seen(1, 'Initiated')]);
  const { note: since } = await ledger.checkpoint(signer);
  clock.now = Date.parse(earlier);
  await ledger.record(CLAIM, [seen(2, 'Completed', earlier)]);
  await ledger.claim({ ...CLAIM, key: 'order-0', at: earlier });
  const { firstRunId } = CLAIM;
  const nothing = { kind: 'ended', firstRunId, paid: false, leftNothing: true, at: earlier } as const;
  await ledger.record({ ...CLAIM, key: 'order-0' }, [nothing]);
  const again = '2026-03-01T09:00:00.000Z';
  await ledger.claim({ ...CLAIM, key: 'order-0', firstRunId: 'run-2', at: again });
  await ledger.checkpoint(signer, since);
  const sessions: LedgerSession[] = [];
  for await (const session of ledger.payments.all({})) sessions.push(session);
  expect(sessions).toMatchObject([
    { key: 'order-1', status: 'Completed', claimedAt: at },
    { key: 'order-0', outcome: 'open', claimedAt: again },
  ]);
  expect(await numbersOf(ledger)).toEqual([1, 2, 3, 4]);
  const recordedAt = (await ledger.entriesOf('order-1')).map((entry) => entry.recordedAt);
  expect(recordedAt.at(-1)).toBe(earlier);
  expect(await ledger.verify({ since })).toMatchObject({ covered: 7, waiting: 0 });
  expect(await ledger.verify({ since })).not.toHaveProperty('fault');
});

test('a worker’s sessions go on after another PostgreSQL server has taken over the ledger’s data and address', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'paysession-ledger-'));
  closesLater(() => rm(folder, { recursive: true }));
  const options = { folder, cacheFolder: readCacheFolder() };
  const first = await startPostgres(options);
  closesLater(() => first.stop());
  const relay = await openServerRelay(first.url);
  const database = connectTo(relay.url);
  await migrate(database);
  const world = await worldOn({ url: relay.url, database, ledger: openLedger(relay.url) });
  const open = await world.sessions.open(world.input(leftOpen()));
  await first.stop();
  const waiting = await world.sessions.start(world.input(completing()));
  await stateOf(waiting, ({ trouble }) => trouble?.code === 'LEDGER_UNAVAILABLE');
  const second = await startPostgres(options);
  closesLater(() => second.stop());
  expect(new URL(second.url).port).not.toBe(new URL(first.url).port);
  relay.leadTo(second.url);
  expect(await waiting.result()).toMatchObject({ paid: true });
  world.payor(open.sessionId).completes();
  await open.session.result();
  const kinds = ['claimed', 'opened', 'state', 'state', 'ended'];
  for (const session of [waiting, open.session])
    expect((await world.factsOf(session)).map(({ kind }) => kind)).toEqual(kinds);
  expect(await world.ledger.verify()).not.toHaveProperty('fault');
});
