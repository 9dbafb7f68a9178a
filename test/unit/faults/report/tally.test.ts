import { describe, expect, test } from '@jest/globals';
import { endedAs, evidence, result } from '../../../../chaos/faults/invariants/hand-made';
import type { SessionEvidence } from '../../../../chaos/faults/invariants/evidence';
import { count, emptyTally, type Tally } from '../../../../chaos/faults/report/tally';

function tallied(session: SessionEvidence, isLeftAlone = false): Tally {
  const tally = emptyTally();
  count(tally, session, isLeftAlone);
  return tally;
}

const at = '2026-01-01T00:00:00.000Z';

describe('the tally of a campaign of faults counts', () => {
  test('adopted sessions, and refused adoptions', () => {
    const decided = (result: 'applied' | 'SESSION_FOLLOWED') => ({ decision: 'adopt', result, at }) as const;
    const decisions = [decided('SESSION_FOLLOWED'), decided('SESSION_FOLLOWED'), decided('applied')];
    expect(tallied(endedAs(result({ decisions })))).toMatchObject({ adopted: 1, adoptionsRefused: 2 });
    expect(tallied(evidence())).toMatchObject({ adopted: 0, adoptionsRefused: 0 });
  });

  test.each([
    ['cancelled at the deadline', { cancel: { by: 'deadline', requestedAt: at } }],
    ['unsigned', { unsigned: true }],
    ['unverified', { unverified: true }],
  ] as const)('a passed deadline for a session that ended %s', (_how, changes) => {
    expect(tallied(endedAs(result(changes)))).toMatchObject({ deadlinesPassed: 1 });
  });

  test('a deadline that passed while no worker ran, for any end of the session', () => {
    const { plan } = evidence();
    const short = evidence({ plan: { ...plan, deadline: 'overall' } });
    expect(tallied(short, true)).toMatchObject({ deadlinesPassed: 1 });
    expect(tallied(short)).toMatchObject({ deadlinesPassed: 0 });
    expect(tallied(evidence(), true)).toMatchObject({ deadlinesPassed: 0 });
  });

  test('no passed deadline for a session that a caller cancelled', () => {
    const cancelled = endedAs(result({ cancel: { by: 'caller', requestedAt: at } }));
    expect(tallied(cancelled)).toMatchObject({ deadlinesPassed: 0 });
  });
});
