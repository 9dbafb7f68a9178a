import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Metadata, SessionFilter, SessionSummary } from '../../../src';
import { park } from '../../support/park';
import { countSessions } from '../../../src/sessions/list/list-sessions';
import { eft, eTransfer, leftOpen } from '../../support/requests';
import { until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';

const world = useWorld();

async function listed(filter: unknown): Promise<readonly SessionSummary[]> {
  const found: SessionSummary[] = [];
  // The cast lets a test pass a malformed filter, as a caller in JavaScript may.
  for await (const summary of world.sessions.list(filter as SessionFilter)) found.push(summary);
  return found;
}

const keysOf = async (filter: SessionFilter) => (await listed(filter)).map(({ key }) => key).sort();

describe('a list of sessions', () => {
  test('finds sessions by phase and by problem, and returns both with each session', async () => {
    const referenceId = `phase-${randomUUID().slice(0, 8)}`;
    const { session: parked } = await park(world, eft(referenceId));
    const { session: open } = await world.sessions.open(world.input(eft(referenceId)));
    const { session: ended } = await world.sessions.open(world.input(eft(referenceId)));
    await ended.cancelAndWait();
    const { session: failed } = await park(world, eft(referenceId));
    await failed.resolveCreate({ abandon: true });
    const expected = async (filter: SessionFilter, ...keys: readonly string[]) => {
      const wanted = JSON.stringify([...keys].sort());
      await until(
        () => keysOf({ referenceId, ...filter }),
        (found) => JSON.stringify(found) === wanted,
      );
    };
    await expected({ phase: 'parked' }, parked.key);
    await expected({ phase: 'open' }, open.key);
    await expected({ phase: 'ended' }, ended.key, failed.key);
    await expected({ problem: 'parked' }, parked.key);
    await expected({ problem: 'possibleOrphan' }, failed.key);
    await expected({ problem: 'CREATE_ABANDONED' }, failed.key);
    expect(await listed({ referenceId })).toMatchObject([
      { phase: 'ended', outcome: 'failed', problems: ['possibleOrphan'], failure: 'CREATE_ABANDONED' },
      { phase: 'ended', outcome: 'ended', problems: [] },
      { phase: 'open', problems: [] },
      { phase: 'parked', problems: ['parked'] },
    ]);
    await expected({ code: null }, parked.key, failed.key);
    await parked.resolveCreate({ abandon: true });
    await open.cancelAndWait();
  });

  test('finds sessions by account, and by the beginning of their id at the service', async () => {
    const referenceId = `account-${randomUUID().slice(0, 8)}`;
    const { session, sessionId } = await world.sessions.open(world.input(eft(referenceId)));
    const { session: other } = await world.sessions.open(world.input(eft(referenceId)));
    await until(
      () => keysOf({ referenceId, phase: 'open' }),
      (keys) => keys.length === 2,
    );
    expect(await keysOf({ account: 'default', shortId: sessionId.slice(0, 8) })).toEqual([session.key]);
    expect(await keysOf({ referenceId, account: 'default' })).toHaveLength(2);
    expect(await keysOf({ referenceId, account: 'default', running: true })).toHaveLength(2);
    expect(await keysOf({ referenceId, account: 'default', running: false })).toEqual([]);
    expect(await keysOf({ referenceId, account: 'another' })).toEqual([]);
    expect(await keysOf({ referenceId, code: 'EFT0101' })).toHaveLength(2);
    expect(await keysOf({ referenceId, code: null })).toEqual([]);
    await Promise.all([session.cancelAndWait(), other.cancelAndWait()]);
  });

  test('finds sessions that ended after a time, and returns the requested amount', async () => {
    const referenceId = `ended-${randomUUID().slice(0, 8)}`;
    const { session: open } = await world.sessions.open(world.input(eft(referenceId)));
    const { session: ended } = await world.sessions.open(world.input(eft(referenceId)));
    await ended.cancelAndWait();
    const { amount: _chosen, ...chooses } = eft(referenceId);
    const { session: byPayor } = await world.sessions.open(world.input(chooses));
    const [found] = await until(
      () => listed({ referenceId, running: false }),
      ({ length }) => length === 1,
    );
    const endedAt = found?.endedAt ?? new Date('');
    expect(await keysOf({ referenceId, endedAfter: endedAt })).toEqual([ended.key]);
    expect(await keysOf({ referenceId, endedAfter: new Date(endedAt.getTime() + 1_000) })).toEqual([]);
    const amounts = (await listed({ referenceId })).map(({ key, amount }) => [key, amount]);
    expect(amounts).toEqual([
      [byPayor.key, undefined],
      [ended.key, 25],
      [open.key, 25],
    ]);
    await Promise.all([open.cancelAndWait(), byPayor.cancelAndWait()]);
  });

  test('finds sessions by their searchable metadata, and not by other metadata', async () => {
    const unique = randomUUID().slice(0, 8);
    const searchable = { searchableMetadata: ['customer', 'order'] };
    const input = world.input(leftOpen());
    const start = (metadata: Metadata, policy: object = searchable) =>
      world.sessions.start({ ...world.input(leftOpen()), metadata, policy });
    const customer = `Cus ${unique} #$%&()*+,-./:;<=>@[]^_\`{|}~!`;
    const one = await world.sessions.start({
      ...input,
      metadata: { customer, order: '1', note: `note ${unique}` },
      policy: searchable,
    });
    const two = await start({ customer, order: '2' });
    const other = await start({ customer: customer.toUpperCase(), order: '1' });
    await start({ customer, note: unique }, {});
    await until(
      () => keysOf({ metadata: { customer } }),
      (keys) => keys.length === 2,
    );
    await until(
      () => keysOf({ metadata: { customer: customer.toUpperCase() } }),
      (keys) => keys.length === 1,
    );
    expect(await keysOf({ metadata: { customer } })).toEqual([one.key, two.key].sort());
    expect(await keysOf({ metadata: { customer, order: '2' } })).toEqual([two.key]);
    expect(await keysOf({ metadata: { customer: customer.toUpperCase(), order: '1' } })).toEqual([other.key]);
    expect(await keysOf({ metadata: { note: unique } })).toEqual([]);
    expect(await countSessions(world.client, { metadata: { customer }, running: true })).toBe(2);
    expect(await listed({ metadata: { customer, order: '1' } })).toMatchObject([
      { metadata: { customer, order: '1' } },
    ]);
    // A start with the same key and other metadata attaches. The session keeps its first metadata.
    const again = await world.sessions.start({ ...input, metadata: { customer: 'another' } });
    expect(again.started).toMatchObject({ attached: true });
  });

  test('refuses a malformed filter, and lists every mistake', async () => {
    const filter = { phase: 'paused', problem: 'lost', running: 1, startedAfter: new Date(''), kinds: 'EFT' };
    const error: unknown = await listed(filter).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'INVALID_FILTER' });
    for (const mistake of ['phase must be', 'problem must be', 'running must be', 'startedAfter must be'])
      expect(String(error)).toContain(mistake);
    expect(String(error)).toContain('did you mean kind?');
  });

  test.each([-1, -62_198_755_200_000, Date.UTC(2200, 0), 8.64e15])(
    'refuses the time %d, which is out of range for some databases of Temporal’s index',
    async (ms) => {
      for (const filter of [{ startedAfter: new Date(ms) }, { startedBefore: new Date(ms) }])
        await expect(listed(filter)).rejects.toMatchObject({ code: 'INVALID_FILTER' });
    },
  );

  test('finds a reference and an account with characters that Temporal’s index cannot search', async () => {
    const unique = randomUUID().slice(0, 8);
    const texts = [
      "O'Brien",
      'say "hi"',
      'C:\\orders',
      'why?',
      'one\ntwo',
      'one\ttwo',
      'O\'"x',
      '100%_!',
      'é🎉 "?',
    ];
    for (const text of texts) {
      const referenceId = `${unique} ${text}`;
      // The second session’s reference has one more character. The filter must not find it.
      await world.sessions.start(world.input(eTransfer(`${referenceId}.`)));
      const { key } = await world.sessions.start(world.input(eTransfer(referenceId)));
      await until(
        () => keysOf({ referenceId }),
        (keys) => keys.length > 0,
      );
      expect([text, await keysOf({ referenceId })]).toEqual([text, [key]]);
      expect(await countSessions(world.client, { referenceId })).toBe(1);
      expect(await keysOf({ referenceId, account: 'default' })).toEqual([key]);
      expect(await keysOf({ referenceId, account: `def${text}` })).toEqual([]);
    }
  });

  test('refuses a text for which Temporal’s index cannot search exactly', async () => {
    for (const text of [
      ...["'default", "default'", "'default'", "'", "' OR WorkflowType = 'paymentSession"],
      ...['" OR ""="', "\\' OR WorkflowType = 'paymentSession", '"', '\\', '?', '\n'],
    ])
      for (const name of ['status', 'code', 'referenceId', 'account', 'shortId'])
        await expect(listed({ [name]: text })).rejects.toMatchObject({ code: 'INVALID_FILTER' });
  });

  test.each([
    ["x' OR WorkflowType = 'paymentSession"],
    ["x\\' OR WorkflowType = 'paymentSession"],
    ["x' ORDER BY StartTime --"],
    ['x" OR ""="'],
  ])('searches for %j as a text, and does not run it as a part of the query', async (text) => {
    const { session } = await world.sessions.open(world.input(leftOpen()));
    expect(await keysOf({ status: text })).toEqual([]);
    expect(await keysOf({ code: text })).toEqual([]);
    expect(await keysOf({ referenceId: text })).toEqual([]);
    expect(await keysOf({ account: text })).toEqual([]);
    expect(await keysOf({ shortId: text })).toEqual([]);
    await session.cancelAndWait();
  });
});
