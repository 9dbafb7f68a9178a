import { runCampaign } from '../campaign';
import { build, type Patch } from '../processes/build';
import { hostEngine } from '../processes/engine-host';
import type { Report } from '../report/tally';
import { MUTANTS } from './mutants';
import { PLANS, type PlanName } from './plans';

/** What became of a planted bug. */
export interface Fate {
  readonly name: string;
  /** The invariants that it violated; none if nobody noticed. */
  readonly caughtBy: readonly string[];
}

const SETTLES_WITHIN_MS = 8_000;
const PATIENCE_MS = 12_000;
const REPLAYS = { oneOf: 1, prefixesOneOf: 2, longestMs: 5_000 };

/** Runs each planted bug, or those whose name fits the pattern, with its plan; the code without a bug first, with all plans. */
export async function runMutants(only: string, tell: (line: string) => void): Promise<boolean> {
  const pattern = new RegExp(only);
  const engine = await hostEngine();
  const run = async (
    name: string,
    plans: readonly PlanName[],
    patches: readonly Patch[],
  ): Promise<Report> => {
    const code = await build('mutant', patches);
    const left = [...plans];
    try {
      return await runCampaign({
        seed: name,
        build: code,
        engine,
        lanes: plans.length,
        workers: 2,
        settlesWithinMs: SETTLES_WITHIN_MS,
        patienceMs: PATIENCE_MS,
        replays: REPLAYS,
        nextPlan: () => {
          const next = left.shift();
          return next && PLANS[next];
        },
      });
    } finally {
      await code.remove();
    }
  };
  try {
    const fates: Fate[] = [];
    if (only === '') {
      const { violations } = await run('no bug', Object.keys(PLANS) as PlanName[], []);
      tell(`without a bug: ${violations.length} violations`);
      for (const { invariant, where, what } of violations) tell(`  (${invariant}) ${where}: ${what}`);
      if (violations.length > 0) return false;
    }
    for (const { name, plan, patches } of MUTANTS.filter((each) => pattern.test(each.name))) {
      const { violations } = await run(name, [plan], patches);
      const caughtBy = [...new Set(violations.map(({ invariant }) => invariant))].sort();
      fates.push({ name, caughtBy });
      tell(`${caughtBy.length === 0 ? 'NOT CAUGHT' : `caught by ${caughtBy.join(' ')}`}: ${name}`);
    }
    const caught = fates.filter(({ caughtBy }) => caughtBy.length > 0).length;
    tell(`${caught} of ${fates.length} planted bugs caught`);
    return caught === fates.length;
  } finally {
    await engine.stop();
  }
}
