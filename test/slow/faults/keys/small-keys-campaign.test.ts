import { expect, test } from '@jest/globals';
import { runKeysCampaign } from '../../../../chaos/faults/keys/keys-campaign';
import type { KeysPlan } from '../../../../chaos/faults/plan/plan';
import { build } from '../../../../chaos/faults/processes/build';

const step = (
  key: number,
  when: KeysPlan['steps'][number]['when'],
  does: KeysPlan['steps'][number]['does'],
) => ({
  key,
  when,
  does,
});

// A campaign runs real processes and makes them fail by a plan. This campaign restores Temporal and the ledger from backups.

/** One key is paid. The workflow of a second key is terminated and deleted. Then both servers are restored to an earlier moment. */
const PLAN: KeysPlan = {
  keys: [
    { onUnknownCreate: 'park', faults: [], strikes: [] },
    { onUnknownCreate: 'park', faults: [], strikes: [] },
  ],
  steps: [
    step(0, 'now', 'start'),
    step(0, 'open', 'copyLedger'),
    step(0, 'now', 'copyTemporal'),
    step(1, 'now', 'start'),
    step(0, 'now', 'pay'),
    step(1, 'open', 'terminate'),
    step(1, 'soon', 'sweep'),
    step(1, 'soon', 'drop'),
    step(1, 'now', 'start'),
    step(0, 'over', 'file'),
    step(1, 'open', 'restoreLedger'),
    step(0, 'now', 'restoreTemporal'),
    step(1, 'now', 'start'),
  ],
};

test('in a campaign in which Temporal and the ledger lose data, a key is paid twice only if both have lost its first session', async () => {
  const plans = [PLAN];
  const code = await build('small-keys');
  try {
    const report = await runKeysCampaign({
      seed: 'small',
      build: code,
      workers: 2,
      nextPlan: () => plans.shift(),
    });
    expect(report.violations).toEqual([]);
    expect(report.keys).toMatchObject({
      episodes: 1,
      'workflows terminated': 1,
      'restores of the ledger': 1,
      'restores of Temporal': 1,
      'claims paid': 2,
      'files of the service read': 1,
    });
    // The second key began after both copies. So after the restores, its first session is unknown, as is a session that
    // a slow start creates in between. But a slow worker may record its session only after the restore of the ledger,
    // which then knows the session again.
    const { 'sessions made': made = 0, 'of these, forgotten by both sides': lost = 0 } = report.keys ?? {};
    expect(lost).toBeGreaterThanOrEqual(1);
    expect(made).toBeGreaterThanOrEqual(2);
    expect(made).toBeLessThanOrEqual(2 + lost);
  } finally {
    await code.remove();
  }
});
