import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { SessionPolicy, SessionRequest } from '../../../../src';
import { usePaymentWorld } from '../../../support/worlds/payment-world';
import { completing, eft, eTransfer, geft, leftOpen, leftUnsigned } from '../../../support/requests';

// The world is in virtual time, so that a deadline of hours takes no real time.
const DAY_MS = 24 * 60 * 60_000;
const world = usePaymentWorld({ sandbox: { idleExpiryMs: DAY_MS } });

afterEach(() => {
  world.sandbox.clearFaults();
});

/** Opens a session with rare polls, because each poll takes some real time. */
const open = (request: SessionRequest, policy: SessionPolicy = {}) =>
  world.sessions.open({ key: `test-${randomUUID()}`, request, policy: { fastestPoll: '5m', ...policy } });

/** Makes the service answer all polls with this report, until the faults are cleared. */
function reports(report: object): void {
  const body = JSON.stringify(report);
  world.service.fail('details', { kind: 'status', status: 200, body, contentType: 'application/json' }, 500);
}

const kinds = ({ anomalies }: { readonly anomalies: readonly { readonly kind: string }[] }) =>
  anomalies.map(({ kind }) => kind);

describe('a session that is Completed without a clear code', () => {
  test.each([
    ['and has no code', undefined, 'missingCode'],
    ['and has a number for its code', 301, 'unreadableCode'],
    ['and has an object for its code', { code: 'EFT0301' }, 'unreadableCode'],
    ['and has an unknown code', 'EFT0399', 'unknownCode'],
  ])('%s is polled until its code is clear', async (_case, statusDetails, anomaly) => {
    const { session, sessionId } = await open(leftOpen());
    reports({ status: 'Completed', statusDetails });
    await world.advance('10m');
    expect(await session.state()).toMatchObject({ phase: 'open', paid: false, status: 'Completed' });
    await world.payor(sessionId).completes();
    world.sandbox.clearFaults();
    const result = await session.result();
    expect(result).toMatchObject({ paid: true, status: 'Completed', code: 'EFT0301' });
    expect(kinds(result)).toEqual([anomaly]);
  });

  test('at its deadline ends as not paid, with an anomaly, and is not cancelled', async () => {
    const { session } = await open(leftOpen(geft), { deadline: '2h' });
    reports({ status: 'Completed', statusDetails: 301 });
    const result = await session.result();
    expect(result).toMatchObject({ paid: false, status: 'Completed' });
    expect([kinds(result), result.cancel]).toEqual([['unreadableCode'], undefined]);
    expect(world.sandbox.calls.filter(({ route }) => route === 'cancel')).toEqual([]);
  });

  test('is not cancelled at its deadline if a later poll has an unknown status', async () => {
    const { session } = await open(leftOpen(), { deadline: '2h' });
    reports({ status: 'Completed' });
    await world.advance('30m');
    world.sandbox.clearFaults();
    reports({ status: 'Settling' });
    const result = await session.result();
    expect(result).toMatchObject({ paid: false, status: 'Settling' });
    expect([kinds(result), result.cancel]).toEqual([['missingCode', 'unknownStatus'], undefined]);
  });

  test('is polled again if the poll at its deadline is the first with this status', async () => {
    const { session, sessionId } = await open(leftOpen(), {
      deadline: '2h',
      fastestPoll: '6h',
      slowestPoll: '6h',
    });
    const missing = JSON.stringify({ status: 'Completed' });
    world.service.fail('details', {
      kind: 'status',
      status: 200,
      body: missing,
      contentType: 'application/json',
    });
    await world.payor(sessionId).completes();
    const result = await session.result();
    expect(result).toMatchObject({ paid: true, code: 'EFT0301', anomalies: [{ kind: 'missingCode' }] });
  });

  test('does not end at its deadline while the account’s polls are paused', async () => {
    const { session, sessionId } = await open(leftOpen(), { deadline: '2h', fastestPoll: '25m' });
    reports({ status: 'Completed' });
    await world.advance('1h');
    await world.payor(sessionId).completes();
    expect(await session.state()).toMatchObject({ status: 'Completed', paid: false });
    world.sandbox.clearFaults();
    // The rate limit of another session’s calls also delays this session’s polls: they share the account.
    world.service.fail('details', { kind: 'status', status: 429, retryAfter: '3600' }, 20);
    await world.advance('3h');
    expect(await session.state()).toMatchObject({ phase: 'open' });
    world.sandbox.clearFaults();
    expect(await session.result()).toMatchObject({ paid: true, code: 'EFT0301' });
  });

  test('cannot be cancelled any more, and is still polled', async () => {
    const { session } = await open(leftOpen(), { deadline: '2h' });
    reports({ status: 'Completed' });
    world.service.fail('cancel', { kind: 'status', status: 400 });
    await world.advance('10m');
    expect(await session.cancelAndWait()).toMatchObject({
      outcome: 'lostToCompletion',
      state: { phase: 'open', paid: false },
    });
  });
});

describe('a session is paid', () => {
  test('if it is an e-Transfer with the status Completed, although it has no code', async () => {
    const { session } = await open(completing(eTransfer));
    expect(await session.result()).toMatchObject({ paid: true, status: 'Completed' });
    expect(await session.state()).toMatchObject({ paid: true, phase: 'ended' });
  });

  test.each([
    ['a number for its code', 301],
    ['a code that it cannot have', 'EFT0302'],
    ['the code of an unpaid session', 'EFT0399'],
  ])(
    'if it is an e-Transfer with the status Completed that was once reported with %s',
    async (_case, statusDetails) => {
      const { session, sessionId } = await open(leftOpen(eTransfer));
      reports({ status: 'Completed', statusDetails });
      await world.advance('10m');
      expect(await session.state()).toMatchObject({ phase: 'open', paid: false });
      await world.payor(sessionId).completes();
      world.sandbox.clearFaults();
      await world.advance('10m');
      expect(await session.state()).toMatchObject({ phase: 'ended', paid: true });
      const result = await session.result();
      expect(result).toMatchObject({ paid: true, status: 'Completed' });
      expect(kinds(result)).toEqual([statusDetails === 301 ? 'unreadableCode' : 'unknownCode']);
    },
  );

  test('only after the payor’s signature, if it is an EFT', async () => {
    const { session } = await open(leftUnsigned(), { padSignatureDeadline: '1h' });
    expect(await session.result()).toMatchObject({ paid: false, code: 'EFT0302', unsigned: true });
  });

  test('never, if it failed', async () => {
    const { session } = await open(eft('sandbox-identity-failed'));
    expect(await session.result()).toMatchObject({ paid: false, status: 'Failed' });
  });
});
