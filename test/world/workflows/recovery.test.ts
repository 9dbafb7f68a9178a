import { describe, expect, test } from '@jest/globals';
import { anotherPayment, completing, leftOpen } from '../../support/requests';
import { useSandbox } from '../../support/worlds/sandbox';
import { stateOf, until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';
import { DEFAULT_CLIENT } from '../../../sandbox/default-client';

const OTHER_ACCOUNT = 'other';

const otherService = useSandbox();
const world = useWorld(() => {
  const { clientId, clientSecret } = DEFAULT_CLIENT;
  return { otherAccounts: { [OTHER_ACCOUNT]: { baseUrl: otherService.url, clientId, clientSecret } } };
});

describe('a session goes on', () => {
  test('on another worker after its worker is stopped', async () => {
    const { session, sessionId } = await world.sessions.open(world.input(leftOpen()));
    await world.stopWorker();
    world.payor(sessionId).completes();
    await world.startWorker();
    const { stateHistory, anomalies } = await session.result();
    expect(stateHistory.map(({ code }) => code)).toEqual(['EFT0101', 'EFT0301']);
    expect(anomalies).toEqual([]);
  });

  test('with a new access token after the service revokes the old one', async () => {
    const { session, sessionId } = await world.sessions.open(world.input(leftOpen()));
    world.sandbox.revokeTokens();
    const authorizes = () => world.sandbox.calls.filter(({ route }) => route === 'authorize').length;
    const authorizesBefore = authorizes();
    await until(
      () => Promise.resolve(authorizes()),
      (count) => count > authorizesBefore,
    );
    world.payor(sessionId).completes();
    expect(await session.result()).toMatchObject({ status: 'Completed', anomalies: [] });
  });

  test('once a worker has the session’s account again, and its state shows the trouble until then', async () => {
    const { session } = await world.sessions.open({ ...world.input(leftOpen()), account: OTHER_ACCOUNT });
    await world.stopWorker();
    await world.startWorker({ without: OTHER_ACCOUNT });
    const { trouble } = await stateOf(session, (state) => state.trouble !== undefined);
    expect(trouble).toMatchObject({ code: 'UNKNOWN_ACCOUNT' });
    await world.stopWorker();
    await world.startWorker();
    expect(await session.cancelAndWait()).toMatchObject({ outcome: 'cancelled' });
  });
});

describe('a refresh', () => {
  test('polls at once, and refreshes at the same time share one poll', async () => {
    const input = world.input(leftOpen(), { fastestPoll: '1h', slowestPoll: '1h' });
    const { session, sessionId } = await world.sessions.open(input);
    world.payor(sessionId).completes();
    const states = await Promise.all(Array.from({ length: 20 }, () => session.refresh()));
    expect(new Set(states.map(({ code }) => code))).toEqual(new Set(['EFT0301']));
    const polls = world.sandbox.calls.filter(
      (call) => call.route === 'details' && call.sessionId === sessionId,
    );
    expect(polls.length).toBeLessThanOrEqual(5);
  });
});

describe('one key', () => {
  test('that is started twice with the same request has one session', async () => {
    const input = world.input(leftOpen());
    const createsBefore = world.sandbox.calls.filter(({ route }) => route === 'create').length;
    const opened = await Promise.all([world.sessions.open(input), world.sessions.open(input)]);
    const again = await world.sessions.start(input);
    expect(new Set(opened.map(({ sessionId }) => sessionId)).size).toBe(1);
    expect(world.sandbox.calls.filter(({ route }) => route === 'create').length - createsBefore).toBe(1);
    await again.cancelAndWait();
    expect((await world.sessions.open(input)).sessionId).toBe(opened[0].sessionId);
  });

  test('cannot be used for another request, also after the session’s end', async () => {
    const input = world.input(leftOpen());
    const other = anotherPayment(input);
    // The session must be open first: a cancel before the create request frees the key.
    const { session } = await world.sessions.open(input);
    await expect(world.sessions.start(other)).rejects.toMatchObject({ code: 'SESSION_CONFLICT' });
    await expect(world.sessions.open(other)).rejects.toMatchObject({ code: 'SESSION_CONFLICT' });
    await session.cancelAndWait();
    await expect(world.sessions.start(other)).rejects.toMatchObject({ code: 'SESSION_CONFLICT' });
  });
});

describe('an ended session', () => {
  test('can be read while no worker runs', async () => {
    const session = await world.sessions.start(world.input(completing()));
    const { stateHistory } = await session.result();
    await world.stopWorker();
    expect(await session.state()).toMatchObject({ phase: 'ended', status: 'Completed', code: 'EFT0301' });
    expect(await session.stateHistory()).toEqual(stateHistory);
    await world.startWorker();
  });
});
