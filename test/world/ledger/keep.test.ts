import { describe, expect, jest, test } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkpointFolder, keepLedger, type CheckpointStore, type KeeperEvent } from '../../../ledger';
import {
  newSigningKey,
  readSigningKey,
  writeCheckpoint,
  type CheckpointSigner,
} from '../../../ledger/log/signed-note';
import { completing } from '../../support/requests';
import { until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';
import { CLAIM } from '../../support/ledger/claim';
import { closesLater, testLedger, type TestLedger } from '../../support/ledger/test-ledger';

// The keeper is a process of the ledger. It repeats three jobs: a sweep records the missing entries of ended sessions, a
// checkpoint signs the log, and a verification compares entries with their hashes.

const BEGAN = new Date();
/** With this time as `endedAfter`, a keeper sweeps no sessions. So it does not record sessions of other tests. */
const NEVER = new Date(Date.now() + 24 * 60 * 60_000);
/** A world whose worker has no ledger. */
const world = useWorld();
const signer = signerOf(newSigningKey('shop.example/ledger'));

function signerOf(key: string): CheckpointSigner {
  const read = readSigningKey(key);
  if (read === undefined) throw new Error('a new key cannot be read');
  return read;
}

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'paysession-checkpoints-'));
  closesLater(() => rm(folder, { recursive: true }));
  return folder;
}

/** Starts a keeper that repeats every job after 20 ms. It runs until `stop` is called or the test ends. */
function keep(
  { ledger }: Pick<TestLedger, 'ledger'>,
  store?: CheckpointStore,
  { by = signer, endedAfter = NEVER } = {},
) {
  const over = new AbortController();
  const events: KeeperEvent[] = [];
  const keeping = keepLedger({
    ledger,
    client: world.client,
    signer: by,
    store,
    earlierKeys: [signer.verifierKey],
    endedAfter,
    everyMs: { checkpoint: 20, sweep: 20, verify: 20 },
    onEvent: (event) => events.push(event),
    signal: over.signal,
  });
  const stop = async () => {
    over.abort();
    await keeping;
  };
  // What is registered last is closed first. So the keeper stops before its folder and its ledger are removed.
  closesLater(stop);
  const event = (fields: Partial<KeeperEvent> & { readonly kind: KeeperEvent['kind'] }) =>
    until(
      () => Promise.resolve(events.findLast((one) => expect.objectContaining(fields).asymmetricMatch(one))),
      (found) => found !== undefined,
    );
  return { event, stop, forget: () => events.splice(0) };
}

describe('a ledger with a keeper', () => {
  test('gets the missing entries of ended sessions, and a checkpoint that covers these entries', async () => {
    const own = await testLedger();
    const input = world.input(completing());
    await (await world.sessions.start(input)).result();
    const folder = await emptyFolder();
    const keeper = keep(own, checkpointFolder(folder, [signer.verifierKey]), { endedAfter: BEGAN });
    await until(
      () => own.ledger.entriesOf(input.key),
      (entries) => entries.some(({ fact }) => fact.kind === 'ended'),
    );
    // The keeper also records sessions of other tests that have ended on the same Temporal server.
    const { proof } = await until(
      async () => ({ proof: await own.ledger.prove(input.key, 5) }),
      ({ proof: found }) => found !== undefined,
    );
    keeper.forget();
    await keeper.event({ kind: 'checkpointed' });
    await keeper.event({ kind: 'verified' });
    await keeper.stop();
    const [newest = ''] = (await readdir(folder)).sort().reverse();
    const since = await readFile(join(folder, newest), 'utf8');
    const verified = await own.ledger.verify({ since, verifierKey: signer.verifierKey });
    const [, place = Infinity] = /^index (\d+)$/m.exec(proof?.proof ?? '') ?? [];
    expect(verified.covered).toBeGreaterThan(Number(place));
    expect(verified.fault).toBeUndefined();
  });

  test('continues the folder’s checkpoints with a new signing key', async () => {
    const own = await testLedger();
    const folder = await emptyFolder();
    const first = keep(own, checkpointFolder(folder, [signer.verifierKey]));
    await own.ledger.claim({ ...CLAIM, key: 'order-1' });
    await first.event({ kind: 'checkpointed', size: 1 });
    await first.stop();
    await own.ledger.claim({ ...CLAIM, key: 'order-2' });
    const next = signerOf(newSigningKey('shop.example/ledger'));
    const keys = [next.verifierKey, signer.verifierKey];
    const second = keep(own, checkpointFolder(folder, keys), { by: next });
    await second.event({ kind: 'checkpointed', size: 2 });
    await second.event({ kind: 'verified', entries: 2 });
  });
});

test('a keeper reports the swept sessions although counting the unmatched lines after the sweep fails', async () => {
  const own = await testLedger();
  jest.spyOn(own.ledger.unmatched, 'totals').mockRejectedValue(new Error('away'));
  const keeper = keep(own);
  await keeper.event({ kind: 'failed', job: 'sweep' });
  await keeper.event({ kind: 'swept' });
});

test('a keeper that is stopped first finishes writing its checkpoint', async () => {
  const own = await testLedger();
  const stages: string[] = [];
  let finishWriting = (): void => undefined;
  const keeper = keep(own, {
    newest: () => Promise.resolve(undefined),
    add: async () => {
      stages.push('writing');
      await new Promise<void>((resolve) => (finishWriting = resolve));
      stages.push('written');
    },
  });
  await until(
    () => Promise.resolve(stages.length),
    (count) => count > 0,
  );
  const stopped = keeper.stop().then(() => stages.push('stopped'));
  // If `stop` did not wait for the checkpoint, it would end within this time.
  await sleep(100);
  finishWriting();
  await stopped;
  expect(stages).toEqual(['writing', 'written', 'stopped']);
});

describe('a keeper finds tampering', () => {
  const REWRITES = {
    'entries, their log positions and the checkpoints over them were deleted': `
      delete from paysession_ledger.checkpoints where size > 1;
      delete from paysession_ledger.log where position > 0;
      delete from paysession_ledger.entries where key <> 'order-1'`,
    'the newest checkpoint in the database was changed': `
      update paysession_ledger.checkpoints set peaks = sha256(peaks) || sha256('x') where size = 3`,
    'the checkpoints in the database were deleted': `delete from paysession_ledger.checkpoints`,
  };

  test.each(Object.entries(REWRITES))('and signs no further checkpoint if %s', async (_name, rewrite) => {
    const own = await testLedger();
    const folder = await emptyFolder();
    const store = checkpointFolder(folder, [signer.verifierKey]);
    await own.ledger.claim({ ...CLAIM, key: 'order-1' });
    await own.ledger.checkpoint(signer);
    await own.ledger.claim({ ...CLAIM, key: 'order-2' });
    await own.ledger.claim({ ...CLAIM, key: 'order-3' });
    const keeper = keep(own, store);
    await keeper.event({ kind: 'checkpointed', size: 3 });
    await keeper.stop();
    const published = await readdir(folder);
    await own.database.transaction(async (statements) => {
      await statements.query(`set local session_replication_role = 'replica'`);
      for (const statement of rewrite.split(';')) await statements.query(statement);
    });
    await own.ledger.claim({ ...CLAIM, key: 'order-4' });
    const after = keep(own, store);
    await after.event({ kind: 'failed', job: 'checkpoint', code: 'LEDGER_TAMPERED' });
    expect(await readdir(folder)).toEqual(published);
  });

  test('in an entry, with its verification', async () => {
    const own = await testLedger();
    await own.ledger.claim({ ...CLAIM, key: 'order-1' });
    const keeper = keep(own, checkpointFolder(await emptyFolder(), [signer.verifierKey]));
    await keeper.event({ kind: 'verified', entries: 1 });
    await own.database.transaction(async (statements) => {
      await statements.query(`set local session_replication_role = 'replica'`);
      await statements.query(`update paysession_ledger.entries set body = body || ' '`);
    });
    await keeper.event({ kind: 'faulty' });
  });
});

describe('in a folder of checkpoints,', () => {
  test('a file that another key has signed makes the checkpoint job fail, and no file is added', async () => {
    const own = await testLedger();
    const folder = await emptyFolder();
    const other = signerOf(newSigningKey('shop.example/ledger'));
    const { note } = await own.ledger.checkpoint(other);
    await writeFile(join(folder, 'checkpoint-000000000000000.txt'), note);
    const keeper = keep(own, checkpointFolder(folder, [signer.verifierKey]));
    await keeper.event({ kind: 'failed', job: 'checkpoint', code: 'INVALID_FILE' });
    expect(await readdir(folder)).toEqual(['checkpoint-000000000000000.txt']);
  });

  test.each([
    ['is unreadable', 'no checkpoint'],
    [
      'has a foreign signature',
      writeCheckpoint({ size: 1, root: Buffer.alloc(32) }, signerOf(newSigningKey('shop.example/ledger'))),
    ],
  ])('a new checkpoint that %s is refused, and no file is added', async (_what, note) => {
    const folder = await emptyFolder();
    const store = checkpointFolder(folder, [signer.verifierKey]);
    await expect(store.add(note)).rejects.toMatchObject({ code: 'INVALID_FILE' });
    expect(await readdir(folder)).toEqual([]);
  });

  test('a missing folder makes only the checkpoint job fail', async () => {
    const own = await testLedger();
    const keeper = keep(own, checkpointFolder(join(await emptyFolder(), 'missing'), [signer.verifierKey]));
    await keeper.event({ kind: 'failed', job: 'checkpoint', code: 'INVALID_FILE' });
    await keeper.event({ kind: 'swept' });
  });
});

test('a keeper that starts again compares the log with the checkpoints in its folder, and signs no log that was rewritten meanwhile', async () => {
  const own = await testLedger();
  const folder = await emptyFolder();
  const first = keep(own, checkpointFolder(folder, [signer.verifierKey]));
  await own.ledger.claim({ ...CLAIM, key: 'order-1' });
  await first.event({ kind: 'checkpointed', size: 1 });
  await first.stop();
  const published = await readdir(folder);
  await own.database.transaction(async (statements) => {
    await statements.query(`set local session_replication_role = 'replica'`);
    for (const table of ['checkpoints', 'log', 'entries', 'claims', 'session_keys'])
      await statements.query(`delete from paysession_ledger.${table}`);
  });
  await own.ledger.claim({ ...CLAIM, key: 'order-2' });
  const second = keep(own, checkpointFolder(folder, [signer.verifierKey]));
  await second.event({ kind: 'failed', job: 'checkpoint', code: 'LEDGER_TAMPERED' });
  expect(await readdir(folder)).toEqual(published);
});
