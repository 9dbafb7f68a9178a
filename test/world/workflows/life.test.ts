import { describe, expect, test } from '@jest/globals';
import type { SessionResult } from '../../../src';
import { completing, eft, eTransfer, geft, leftOpen, leftUnsigned } from '../../support/requests';
import { until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';

const world = useWorld();

const states = ({ stateHistory }: Pick<SessionResult, 'stateHistory'>) =>
  stateHistory.map(({ status, code, source }) => [status, code, source].filter(Boolean).join(' '));

describe('a session ends with the service’s last status and code', () => {
  test.each([
    ['sandbox-completes', 'Completed', 'EFT0301'],
    ['sandbox-login-failed', 'Failed', 'EFT0401'],
    ['sandbox-identity-failed', 'Failed', 'EFT0403'],
    ['sandbox-insufficient-funds', 'Failed', 'EFT0404'],
    ['sandbox-expires', 'Expired', 'EFT0601'],
  ])('%s: %s/%s', async (scenario, status, code) => {
    const session = await world.sessions.start(world.input(eft(scenario)));
    const result = await session.result();
    expect(result).toMatchObject({ status, code, kind: 'EFT', referenceId: scenario, anomalies: [] });
    expect(states(result)).toEqual(['Initiated EFT0101 create', `${status} ${code} poll`]);
  });

  test('after a cancel: Cancelled/EFT0501', async () => {
    const { session } = await world.sessions.open(world.input(leftOpen()));
    await session.cancel();
    expect(states(await session.result())).toEqual(['Initiated EFT0101 create', 'Cancelled EFT0501 cancel']);
  });

  test('a guaranteed EFT completes', async () => {
    const session = await world.sessions.start(world.input(completing(geft)));
    expect(await session.result()).toMatchObject({
      kind: 'GEFT',
      status: 'Completed',
      code: 'EFT0301',
      amount: 25,
    });
  });

  // Contract rule A41 (docs/contract.md): if no guarantee is available, the code is one that the specification lacks.
  test('A41 a failed session with an unknown code ends with that code, and the result reports an anomaly', async () => {
    const session = await world.sessions.start(world.input(geft('sandbox-no-guarantee')));
    const result = await session.result();
    expect(result).toMatchObject({ status: 'Failed', code: 'EFT0402' });
    expect(result.anomalies).toMatchObject([{ kind: 'unknownCode', detail: 'EFT0402' }]);
  });

  test.each(['Completed', 'Failed', 'Expired'])('an e-Transfer ends %s without a code', async (status) => {
    const scenario = { Completed: 'completes', Failed: 'identity-failed', Expired: 'expires' }[status] ?? '';
    const session = await world.sessions.start(world.input(eTransfer(`sandbox-${scenario}`)));
    const result = await session.result();
    expect(states(result)).toEqual(['Initiated create', `${status} poll`]);
  });
});

describe('the PAD signature', () => {
  test('ends the session as paid: the session goes from EFT0302 to EFT0301', async () => {
    const { session, sessionId } = await world.sessions.open(world.input(leftUnsigned()));
    await until(
      () => session.state(),
      ({ code }) => code === 'EFT0302',
    );
    world.payor(sessionId).signsPad();
    expect(states(await session.result())).toEqual([
      'Initiated EFT0101 create',
      'Completed EFT0302 poll',
      'Completed EFT0301 poll',
    ]);
  });

  test('may never come: the session then ends unsigned at the signature deadline', async () => {
    const input = world.input(leftUnsigned(), { padSignatureDeadline: '1s' });
    const session = await world.sessions.start(input);
    expect(await session.result()).toMatchObject({ status: 'Completed', code: 'EFT0302', unsigned: true });
  });
});

describe('the overall deadline', () => {
  test('cancels an unfinished session at the service, and the result has the service’s final status', async () => {
    const session = await world.sessions.start(world.input(leftOpen(), { deadline: '5s' }));
    expect(await session.result()).toMatchObject({
      status: 'Cancelled',
      code: 'EFT0501',
      cancel: { by: 'deadline', outcome: 'cancelled' },
    });
  });
});
