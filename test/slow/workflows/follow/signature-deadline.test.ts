import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import { problemsOf } from '../../../../src';
import { usePaymentWorld } from '../../../support/worlds/payment-world';
import { eft } from '../../../support/requests';

/** A world in virtual time, because the deadline is half a day away. */
const world = usePaymentWorld();

afterEach(async () => {
  world.sandbox.clearFaults();
  await world.advance('5m'); // Ends the pause of the account's calls.
});

const policy = { fastestPoll: '30m', padSignatureDeadline: '12h' } as const;
const serviceIsDown = { kind: 'status', status: 503 } as const;

/** Opens a session that waits for its signature, and advances to the last hour before the signature deadline. */
async function nearlyDue(more: { readonly unverifiedAfter?: '3h' } = {}) {
  const key = `test-${randomUUID()}`;
  const opened = await world.sessions.open({ key, request: eft(), policy: { ...policy, ...more } });
  const payor = world.payor(opened.sessionId);
  await payor.validatesBank();
  await world.advance('34m');
  expect(await opened.session.state()).toMatchObject({ code: 'EFT0302' });
  await world.advance('11h');
  return { ...opened, payor };
}

/** Makes the service answer the next `times` polls with this report, for any session. */
function reports(report: object, times = 500): void {
  const body = JSON.stringify(report);
  world.service.fail(
    'details',
    { kind: 'status', status: 200, body, contentType: 'application/json' },
    times,
  );
}

describe('if the signature deadline passes while the service cannot be polled,', () => {
  test.each([['70m'], ['3d']] as const)(
    'a signature that came in time counts, once the service answers again after %s',
    async (outage) => {
      const { session, payor } = await nearlyDue();
      world.service.fail('details', serviceIsDown, 1_000);
      await payor.signsPad();
      await world.advance(outage);
      expect(await session.state()).toMatchObject({ phase: 'open', trouble: { code: 'SERVICE_FAILED' } });
      world.sandbox.clearFaults();
      const result = await session.result();
      expect(result).toMatchObject({ status: 'Completed', code: 'EFT0301' });
      expect(result.unsigned).toBeUndefined();
    },
  );

  test('the session ends unsigned once a poll shows that it is unsigned', async () => {
    const { session } = await nearlyDue();
    world.service.fail('details', serviceIsDown, 1_000);
    await world.advance('8h');
    expect(await session.state()).toMatchObject({ phase: 'open', code: 'EFT0302' });
    world.sandbox.clearFaults();
    const result = await session.result();
    expect(result).toMatchObject({ code: 'EFT0302', unsigned: true });
    expect(result.unverified).toBeUndefined();
  });

  test('the session ends at last, and its result says that it is unknown if the session is paid', async () => {
    const { session } = await nearlyDue({ unverifiedAfter: '3h' });
    world.service.fail('details', serviceIsDown, 1_000);
    await world.advance('3h');
    expect(await session.state()).toMatchObject({ phase: 'open', code: 'EFT0302' });
    const result = await session.result();
    expect(result).toMatchObject({ paid: false, code: 'EFT0302', unverified: true });
    expect(result.unsigned).toBeUndefined();
    expect(problemsOf(await session.state())).toContain('unverifiedEnd');
  });
});

describe('an unclear answer to a poll after the signature deadline', () => {
  test.each([
    ['leaves out the code', { status: 'Completed' }],
    ['has a code that cannot be read', { status: 'Completed', statusDetails: 301 }],
    ['goes backwards', { status: 'Initiated', statusDetails: 'EFT0101' }],
  ])('does not end the session: it %s', async (_case, untold) => {
    const { session, payor } = await nearlyDue();
    await payor.signsPad();
    reports(untold);
    await world.advance('3h');
    expect(await session.state()).toMatchObject({ phase: 'open', trouble: { code: 'SERVICE_UNREADABLE' } });
    world.sandbox.clearFaults();
    expect(await session.result()).toMatchObject({ paid: true, code: 'EFT0301' });
  });

  test('does not keep the session open for ever: it ends at last as unverified', async () => {
    const { session } = await nearlyDue({ unverifiedAfter: '3h' });
    reports({ status: 'Completed' });
    const result = await session.result();
    expect(result).toMatchObject({ paid: false, code: 'EFT0302', unverified: true });
    expect(result.unsigned).toBeUndefined();
  });
});

describe('a session whose bank account was validated ends by its signature deadline', () => {
  test.each([
    ['an unknown status', { status: 'Settling' }],
    ['an unknown code', { status: 'Completed', statusDetails: 'EFT0303' }],
    ['a Completed with a code that cannot be read', { status: 'Settling', statusDetails: 7 }],
  ])('after %s, although the overall deadline has passed', async (_case, odd) => {
    const key = `test-${randomUUID()}`;
    const days = { fastestPoll: '3h', slowestUnsignedPoll: '3h', padSignatureDeadline: '20d' } as const;
    const { session, sessionId } = await world.sessions.open({ key, request: eft(), policy: days });
    await world.payor(sessionId).validatesBank();
    await world.advance('2d');
    reports(odd, 1);
    await world.advance('4h');
    const { anomalies } = await session.state();
    expect(anomalies.length).toBeGreaterThan(0);
    await world.payor(sessionId).signsPad();
    const result = await session.result();
    expect(result).toMatchObject({ paid: true, code: 'EFT0301' });
    expect(result.cancel).toBeUndefined();
  });

  test('and is not cancelled then: it ends with its last status', async () => {
    const { session } = await nearlyDue();
    reports({ status: 'Settling' });
    const result = await session.result();
    expect(result).toMatchObject({ paid: false, status: 'Settling', anomalies: [{ kind: 'unknownStatus' }] });
    expect([result.cancel, result.unsigned, result.unverified]).toEqual([undefined, undefined, undefined]);
  });
});
