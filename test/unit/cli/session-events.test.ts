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

/** Returns a client of one session, with the Temporal server's list and the session's own answers. */
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

/** Returns a client whose first session cannot be read. */
function besideUnreadable(sessions: PaymentSessions): PaymentSessions {
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

/** Returns the standings in the first report about a session. */
async function standingsOf(sessions: PaymentSessions): Promise<readonly string[]> {
  const told: SessionEvent[] = [];
  const stopping = new AbortController();
  await followSessions(
    sessions,
    (event) => {
      told.push(event);
      stopping.abort();
    },
    stopping.signal,
  );
  return told.map(({ standing }) => standing);
}

const REPORTS = [entry('Initiated', 'EFT0101'), entry('Completed', 'EFT0302')];

describe('a state that paysession dev prints', () => {
  test('is that of the newest run of a key that was used again', async () => {
    const sessions = oneSession({ kind: 'EFT', phase: 'open', paid: false }, REPORTS);
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
  ])('has, if it is the last one, the standing of the session: %s', async (standing, state) => {
    const sessions = oneSession({ kind: 'EFT', ...state }, REPORTS);
    expect(await standingsOf(sessions)).toEqual(['open', standing]);
  });

  test('is shown even if another session cannot be read', async () => {
    const sessions = besideUnreadable(oneSession({ kind: 'EFT', phase: 'open', paid: false }, REPORTS));
    expect(await standingsOf(sessions)).toEqual(['open', 'unsigned']);
  });
});
