import { expect, test } from '@jest/globals';
import { runCampaign } from '../../../../chaos/faults/campaign';
import type { Plan, SessionPlan } from '../../../../chaos/faults/plan/plan';
import { build } from '../../../../chaos/faults/processes/build';

const SETTLES_WITHIN_MS = 30_000;

const paidAt = (poll: number, strikes: SessionPlan['strikes'] = []): SessionPlan => ({
  kind: 'EFT',
  onUnknownCreate: 'park',
  opens: false,
  hasPage: false,
  sharesReference: false,
  payor: [{ at: { call: 'details', occurrence: poll }, does: 'completed' }],
  faults: [],
  strikes,
  acts: [],
  decision: 'retry',
});

// A campaign runs real processes and makes them fail by a plan. This campaign attacks the ledger.

/** PostgreSQL is killed during a create request. Much later, a connection is cut during a commit. In between, money arrives and comes back. */
const PLAN: Plan = {
  authorizes: [],
  books: [
    { after: 2, does: 'stranger' },
    { after: 2, does: 'explain' },
    { after: 3, does: 'readReferences' },
    { after: 4, does: 'killRun' },
    { after: 6, does: 'readAtOnce' },
  ],
  sessions: [
    paidAt(3, [{ at: { call: 'create', occurrence: 1 }, stage: 'afterSend', strike: 'killLedger' }]),
    paidAt(16, [{ at: { call: 'details', occurrence: 15 }, stage: 'afterSend', strike: 'cutCommit' }]),
    { ...paidAt(2), money: { settles: 'late', returns: '903' } },
    { ...paidAt(4), money: { settles: 'atOnce', returns: 'X77' } },
    ...[6, 17].map((poll) => paidAt(poll)),
  ],
};

test('in a campaign that kills the ledger and cuts a commit, the ledger has every session once, also after Temporal has dropped it', async () => {
  const plans = [PLAN];
  const code = await build('small-ledger');
  try {
    const report = await runCampaign({
      seed: 'small',
      build: code,
      hasLedger: true,
      lanes: 1,
      workers: 2,
      settlesWithinMs: SETTLES_WITHIN_MS,
      nextPlan: () => plans.shift(),
    });
    expect(report.violations).toEqual([]);
    expect(report.kills).toBe(1);
    expect(Object.keys(report.strikes).sort()).toEqual([
      expect.stringMatching(/^cutCommit details afterSend/),
      'killLedger create afterSend',
    ]);
    expect(report.ledger).toMatchObject({ dropped: 2, startedAgain: 1, startedOtherwise: 1 });
    expect(report.money).toMatchObject({
      'lines of the service': 8,
      'of these, returns': 2,
      'lines of no session': 1,
      'of these, explained by a person': 1,
      readReferences: 1,
      readAtOnce: 1,
    });
  } finally {
    await code.remove();
  }
});
