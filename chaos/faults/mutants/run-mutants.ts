import { runCampaign } from '../campaign';
import { build, type Patch } from '../processes/build';
import type { Violation } from '../invariants/evidence';
import { runKeysCampaign } from '../keys/keys-campaign';
import type { KeysPlan, Plan } from '../plan/plan';
import { hostTemporal } from '../processes/temporal-host';
import { MUTANTS } from './mutants';
import { PLANS, type PlanName } from './plans';

/** The options of campaigns whose plans have sessions. */
const SESSIONS = {
  settlesWithinMs: 8_000,
  patienceMs: 12_000,
  replays: { oneOf: 1, prefixesOneOf: 2, longestMs: 5_000 },
};

/**
 * Runs the plan of each planted bug whose name matches the pattern. If the pattern is empty, first runs all plans without a bug, and then
 * runs all bugs. Returns true if each bug was detected by an invariant.
 */
export async function runMutants(only: string, report: (line: string) => void): Promise<boolean> {
  const pattern = new RegExp(only);
  const chosen = MUTANTS.filter(({ name }) => pattern.test(name));
  if (chosen.length === 0) throw new Error(`no planted bug has a name that matches ${only}`);
  const temporal = await hostTemporal();
  const run = async (
    name: string,
    names: readonly PlanName[],
    patches: readonly Patch[],
  ): Promise<readonly Violation[]> => {
    const code = await build('mutant', patches);
    const plans: readonly (Plan | KeysPlan)[] = names.map((one) => PLANS[one]);
    const ofKeys = plans.filter((plan) => 'keys' in plan);
    const ofSessions = plans.filter((plan): plan is Plan => 'sessions' in plan);
    const planted = { seed: name, build: code, workers: 2 };
    const violations: Violation[] = [];
    try {
      if (ofSessions.length > 0) {
        const lanes = ofSessions.length;
        const nextPlan = () => ofSessions.shift();
        violations.push(
          ...(await runCampaign({ ...planted, ...SESSIONS, temporal, lanes, nextPlan })).violations,
        );
      }
      if (ofKeys.length > 0)
        violations.push(
          ...(await runKeysCampaign({ ...planted, nextPlan: () => ofKeys.shift() })).violations,
        );
      return violations;
    } finally {
      await code.remove();
    }
  };
  try {
    let caught = 0;
    if (only === '') {
      const violations = await run('no bug', Object.keys(PLANS) as PlanName[], []);
      report(`without a bug: ${violations.length} violations`);
      for (const { invariant, where, what } of violations) report(`  (${invariant}) ${where}: ${what}`);
      if (violations.length > 0) return false;
    }
    for (const { name, plan, patches } of chosen) {
      const violations = await run(name, [plan], patches);
      const caughtBy = [...new Set(violations.map(({ invariant }) => invariant))].sort();
      if (caughtBy.length > 0) caught += 1;
      report(`${caughtBy.length === 0 ? 'NOT CAUGHT' : `caught by ${caughtBy.join(' ')}`}: ${name}`);
    }
    report(`${caught} of ${chosen.length} planted bugs caught`);
    return caught === chosen.length;
  } finally {
    await temporal.stop();
  }
}
