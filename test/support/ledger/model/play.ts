import { setTimeout as sleep } from 'node:timers/promises';
import { calm } from './calm';
import { carryOut } from './carry-out';
import { checkMoney } from './check-money';
import { checkRows, readSaid } from './check-rows';
import { checkTruth } from './check-truth';
import { checkWebhooks } from './check-webhooks';
import { checkEverybodyBack } from './everybody-back';
import type { Operation } from './operations';
import { sendAll } from './webhooks';
import { ModelWorld, Violation, type Stage } from './world';

// The model tests run the product’s own activities, workflow code and ledger against a simulated Temporal server and a simulated
// payment service. A history is a random list of operations (`operations.ts`): callers, payors and operators act, workers are lost,
// and servers are restored from backups. After each operation, the test checks rules, such as “no key is paid twice”.

/**
 * Plays a history, and checks all rules after each operation. Returns the story: one line for each thing that happened. If a rule is
 * broken, throws an error with the story.
 */
export async function play(stage: Stage, operations: readonly Operation[]): Promise<readonly string[]> {
  const world = new ModelWorld(stage);
  try {
    await world.backups.restore(stage.empty);
    let checked = '';
    for (const operation of operations) {
      await inTime(world, carryOut(world, operation));
      throwBroken(world);
      const content = await contentOf(world);
      if (content !== checked) await inTime(world, check(world));
      checked = content;
    }
    await inTime(world, everybodyBack(world));
    return world.story;
  } catch (error) {
    throw new Error(`${String(error instanceof Error ? error.stack : error)}\n${world.story.join('\n')}`, {
      cause: error,
    });
  } finally {
    await world.close();
  }
}

/** Returns a digest of the ledger’s entries. If it has not changed, the rules need not be checked again. */
async function contentOf({ stage }: ModelWorld): Promise<string> {
  const [row] = await stage.database.query<{ content: string }>(
    `select coalesce(md5(string_agg(encode(hash, 'hex'), ' ' order by environment, key, number)), '') as content
      from paysession_ledger.entries`,
  );
  return row?.content ?? '';
}

/** The time after which a step counts as hanging. Every step is much quicker. */
const LONGEST_STEP_MS = 60_000;

/** Waits for a step, and throws a violation if the step hangs. */
async function inTime(world: ModelWorld, step: Promise<void>): Promise<void> {
  const over = new AbortController();
  const late = sleep(LONGEST_STEP_MS, undefined, { signal: over.signal }).then(() => {
    const work = world.environments.flatMap(({ attempts }) =>
      attempts.map(({ name, gates }) => `${name} at ${gates.at ?? 'no gate'}`),
    );
    throw new Violation(`a step hangs: ${work.join(', ')}`);
  });
  late.catch(() => undefined);
  try {
    await Promise.race([step, late]);
  } finally {
    over.abort();
  }
}

async function check(world: ModelWorld): Promise<void> {
  throwBroken(world);
  for (const environment of world.environments) {
    const said = await readSaid(environment);
    await checkRows(world, said);
    checkTruth(world, said);
    await checkMoney(world, said);
  }
  const { fault } = (await world.environments[0]?.ledger.verify()) ?? {};
  if (fault !== undefined) world.broken(`verify: ${JSON.stringify(fault)}`);
  throwBroken(world);
}

function throwBroken({ violation }: ModelWorld): void {
  if (violation !== undefined) throw violation;
}

/** Ends all outages, lets workers finish all work, sweeps, sends all webhooks, and then checks the final rules. */
async function everybodyBack(world: ModelWorld): Promise<void> {
  world.tell('everybody is back');
  world.isLedgerAway = false;
  world.hasLedger = true;
  for (const environment of world.environments) {
    await calm(world, environment);
    await environment.sweep();
  }
  await check(world);
  for (const environment of world.environments) {
    await sendAll(world, environment);
    checkWebhooks(world, await readSaid(environment));
  }
  throwBroken(world);
  await checkEverybodyBack(world, () => check(world));
  throwBroken(world);
}
