import { describe, expect, test } from '@jest/globals';
import { followSessions, type SessionEvent } from '../../../cli/commands/dev/session-events';
import type { PaymentSessions, SessionSummary } from '../../../src/sessions';
import type { SessionState } from '../../../src/protocol/state/session';
import type { StateHistoryEntry } from '../../../src/protocol/state/recorded';

const IN_TIME = '2999-01-01T00:00:00.000Z';

const entry = (status: string, code: string): StateHistoryEntry => ({
  status,
  code,
  firstSeenAt: IN_TIME,
  source: 'poll',
});

/** Returns a client whose list has one session, with this state and this history. */
function oneSession(state: Partial<SessionState>, history: readonly StateHistoryEntry[]): PaymentSessions {
  const summary = {
    key: 'one',
    startedAt: new Date(IN_TIME),
    problems: [] as readonly string[],
  } as SessionSummary;
  const sessions = {
    list: () => [summary],
    get: () => ({ state: () => Promise.resolve(state), stateHistory: () => Promise.resolve(history) }),
  };
  return sessions as unknown as PaymentSessions;
}

/** Returns a client that lists an unreadable session before the session of another client. */
function withUnreadable(sessions: PaymentSessions): PaymentSessions {
  const [readable] = sessions.list() as unknown as readonly SessionSummary[];
  const failing = {
    state: () => Promise.reject(new Error('unreadable')),
    stateHistory: () => Promise.resolve([]),
  };
  const both = {
    list: () => [{ ...readable, key: 'unreadable' }, readable],
    get: (key: string) => (key === 'unreadable' ? failing : sessions.get(key)),
  };
  return both as unknown as PaymentSessions;
}

/** Returns the standings in the first report about a session. A standing is the category of a state, such as `unsigned`. */
async function standingsOf(sessions: PaymentSessions): Promise<readonly string[]> {
  const events: SessionEvent[] = [];
  const stopping = new AbortController();
  await followSessions(
    sessions,
    (event) => {
      events.push(event);
      stopping.abort();
    },
    stopping.signal,
  );
  return events.map(({ standing }) => standing);
}

const HISTORY = [entry('Initiated', 'EFT0101'), entry('Completed', 'EFT0302')];

describe('a state that paysession dev prints', () => {
  test('is the state of the key’s newest run, if the key was used again', async () => {
    const sessions = oneSession({ kind: 'EFT', phase: 'open', paid: false }, HISTORY);
    const [newest] = sessions.list() as unknown as readonly SessionSummary[];
    const earlier = { ...newest, outcome: 'terminated' };
    const twice = {
      list: () => [newest, earlier],
      get: () => sessions.get('one'),
    } as unknown as PaymentSessions;
    expect(await standingsOf(twice)).toEqual(['open', 'unsigned']);
  });

  test.each<[string, Partial<SessionState>]>([
    ['unsigned', { phase: 'open', paid: false }],
    ['endedUnsigned', { phase: 'ended', paid: false, unsigned: true }],
    ['endedUnverified', { phase: 'ended', paid: false, unsigned: true, unverified: true }],
  ])('has the standing of the session, if it is the newest state: %s', async (standing, state) => {
    const sessions = oneSession({ kind: 'EFT', ...state }, HISTORY);
    expect(await standingsOf(sessions)).toEqual(['open', standing]);
  });

  test('is shown even if another session cannot be read', async () => {
    const sessions = withUnreadable(oneSession({ kind: 'EFT', phase: 'open', paid: false }, HISTORY));
    expect(await standingsOf(sessions)).toEqual(['open', 'unsigned']);
  });
});
