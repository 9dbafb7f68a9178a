import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { runCampaign } from '../../../chaos/faults/campaign';
import { readPlan } from '../../../chaos/faults/plan/plan';
import { build } from '../../../chaos/faults/processes/build';

const FOLDER = join(__dirname, '..', '..', '..', 'chaos', 'faults', 'regressions');
/** All of them in `npm run test:long`; each waits until a lost worker is noticed. */
const ALL = readdirSync(FOLDER).sort();
const NAMES = process.env['PAYSESSION_TEST_RUNS'] === undefined ? ['worker-lost-with-a-refresh.json'] : ALL;

const SETTLES_WITHIN_MS = 30_000;
/** The build, and what a plan takes: until a lost worker is noticed, and until its sessions have settled, also on a busy machine. */
const BUILD_MS = 60_000;
const PLAN_MS = 30_000 + SETTLES_WITHIN_MS + 60_000;

test(
  'plans that once violated an invariant no longer do',
  async () => {
    const plans = NAMES.map((name) => readPlan(join(FOLDER, name)));
    const strikes = plans.reduce(
      (sum, { sessions }) => sum + sessions.reduce((ofPlan, session) => ofPlan + session.strikes.length, 0),
      0,
    );
    const code = await build('regressions');
    try {
      const report = await runCampaign({
        seed: 'regressions',
        build: code,
        lanes: 1,
        workers: 2,
        settlesWithinMs: SETTLES_WITHIN_MS,
        nextPlan: () => plans.shift(),
      });
      expect(report.violations).toEqual([]);
      // A strike that does not come shows nothing.
      expect(Object.values(report.strikes).reduce((sum, count) => sum + count, 0)).toBe(strikes);
    } finally {
      await code.remove();
    }
  },
  BUILD_MS + NAMES.length * PLAN_MS,
);
