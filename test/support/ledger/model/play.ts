import { calm } from './calm';
import { carryOut } from './carry-out';
import { checkMoney } from './check-money';
import { checkRows, readSaid } from './check-rows';
import { checkTruth } from './check-truth';
import { checkWebhooks } from './check-webhooks';
import { checkEverybodyBack } from './everybody-back';
import type { Operation } from './operations';
import { sendAll } from './webhooks';
import { ModelWorld, type Stage } from './world';

/** Plays a history, and compares everything after each step. Throws what differs, with the story of the history. */
export async function play(stage: Stage, operations: readonly Operation[]): Promise<void> {
  const world = new ModelWorld(stage);
  try {
    await world.backups.restore(stage.empty);
    for (const operation of operations) {
      await carryOut(world, operation);
      await check(world);
    }
    await everybodyBack(world);
  } catch (error) {
    throw new Error(`${String(error instanceof Error ? error.stack : error)}\n${world.story.join('\n')}`, {
      cause: error,
    });
  } finally {
    require('node:fs').appendFileSync(
      `${operations.length} operations\n${world.story.join('\n')}\n----\n`,
    );
    await world.close();
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

/** The ledger answers, each worker and each server is there, and a sweep is made; then callers ask again. */
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
