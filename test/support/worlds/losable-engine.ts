import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEngineOn } from './own-engine';
import { createWorld, type World, type WorldOptions } from './world';

/** A Temporal server that goes away, and comes back at the same address with all its data. */
export interface LosableEngine {
  lose(): Promise<void>;
  bringBack(): Promise<void>;
}

/** Runs with a world on a Temporal server of its own, and ends both. */
export async function withLosableEngine(
  options: Omit<WorldOptions, 'engineAddress'>,
  run: (world: World, engine: LosableEngine) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'paysession-losable-engine-'));
  const databaseFile = join(folder, 'engine.db');
  let engine = await startEngineOn({ databaseFile });
  const port = Number(engine.address.split(':').at(-1));
  const world = await createWorld({ ...options, engineAddress: engine.address });
  try {
    await run(world, {
      lose: () => engine.stop(),
      bringBack: async () => {
        engine = await startEngineOn({ databaseFile, port });
      },
    });
  } finally {
    await world.close();
    await engine.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
