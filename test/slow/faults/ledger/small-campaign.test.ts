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

/** PostgreSQL is killed while a create is under way; long after, a commit is cut. */
const PLAN: Plan = {
  authorizes: [],
  sessions: [
    paidAt(3, [{ at: { call: 'create', occurrence: 1 }, stage: 'afterSend', strike: 'killLedger' }]),
    paidAt(16, [{ at: { call: 'details', occurrence: 15 }, stage: 'afterSend', strike: 'cutCommit' }]),
    ...[2, 4, 6, 17].map((poll) => paidAt(poll)),
  ],
};

test('a ledger that is killed and cut keeps every session once, and its keys when Temporal has dropped them', async () => {
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
  } finally {
    await code.remove();
  }
});
