import { expect, test } from '@jest/globals';
import { adoptionResult } from '../../../src/protocol/decisions';
import type { Decision } from '../../../src/protocol/state/recorded';
import type { SessionState } from '../../../src/protocol/state/session';

const NAMED = '3f3ff2a1-95a0-4cf1-8bbd-3ad7a1d3a2a1';
const OTHER = '0b8f1c52-6a1e-4f0e-9d3c-0c1f6a0f7e11';

const adoption = (sessionId: string, result: Decision['result']): Decision => ({
  id: 'decision',
  decision: 'adopt',
  sessionId,
  at: '2026-03-01T12:00:00.000Z',
  result,
});

/** Returns the state that answers the decision to adopt the named session. */
const answer = (state: Pick<SessionState, 'phase'> & Partial<SessionState>): SessionState =>
  ({ decisions: [], ...state }) as unknown as SessionState;

test.each<[string, Decision['result'], SessionState]>([
  [
    'that the session was adopted, although its full record has only an earlier refusal',
    'applied',
    answer({ phase: 'open', sessionId: NAMED, decisions: [adoption(NAMED, 'SERVICE_UNREACHABLE')] }),
  ],
  [
    'that the session was adopted, although its id is in upper case',
    'applied',
    answer({ phase: 'open', sessionId: NAMED.toUpperCase() }),
  ],
  [
    'the latest refusal of this session, while the key is parked',
    'SESSION_FOLLOWED',
    answer({
      phase: 'parked',
      decisions: [
        adoption(NAMED, 'SERVICE_UNREACHABLE'),
        adoption(NAMED, 'SESSION_FOLLOWED'),
        adoption(OTHER, 'SERVICE_UNREACHABLE'),
      ],
    }),
  ],
  [
    'a refusal, if the full record of the parked key lacks it',
    'INVALID_INPUT',
    answer({ phase: 'parked', decisions: [adoption(OTHER, 'SERVICE_UNREACHABLE')] }),
  ],
  [
    'a refusal, if the key has ended since an earlier attempt',
    'INVALID_INPUT',
    answer({ phase: 'ended', decisions: [adoption(NAMED, 'SERVICE_UNREACHABLE')] }),
  ],
])('the result of an adoption is %s', (_case, result, state) => {
  expect(adoptionResult(state, NAMED)).toBe(result);
});
