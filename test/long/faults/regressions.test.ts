import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runCampaign } from '../../../chaos/faults/campaign';
import { readPlan } from '../../../chaos/faults/plan/plan';
import { build, type Build } from '../../../chaos/faults/processes/build';

const FOLDER = join(__dirname, '..', '..', '..', 'chaos', 'faults', 'regressions');
/**
 * The saved plans. `npm run test:long` runs all of them, and other runs only one. Each plan takes as long as the Temporal server needs to
 * notice that a worker is lost.
 */
const ALL = readdirSync(FOLDER).sort();
const NAMES = process.env['PAYSESSION_TEST_RUNS'] === undefined ? ['worker-lost-with-a-refresh.json'] : ALL;

const SETTLES_WITHIN_MS = 30_000;

let code: Build;
beforeAll(async () => {
  code = await build('regressions');
});
afterAll(() => code.remove());

// A plan lists sessions, and faults that strike while they run. Each plan gets new workers. Otherwise a worker that the last plan killed
// might still be starting again.
test.each(NAMES)('the saved plan of an earlier failure runs without a violation: %s', async (name) => {
  const plan = readPlan(join(FOLDER, name));
  const plans = [plan];
  const report = await runCampaign({
    seed: 'regressions',
    build: code,
    lanes: 1,
    workers: 2,
    settlesWithinMs: SETTLES_WITHIN_MS,
    nextPlan: () => plans.shift(),
  });
  expect(report.violations).toEqual([]);
  // The plan proves something only if all its strikes (acts against a worker) have happened.
  const planned = plan.sessions.reduce((sum, { strikes }) => sum + strikes.length, 0);
  expect(Object.values(report.strikes).reduce((sum, count) => sum + count, 0)).toBe(planned);
});
