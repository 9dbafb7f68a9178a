import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTemporalServerOn } from './own-temporal';
import { createWorld, type World, type WorldOptions } from './world';

/** A Temporal server that a test can stop, and start again at the same address with the same data. */
export interface LosableTemporal {
  lose(): Promise<void>;
  bringBack(): Promise<void>;
}

/** Starts a Temporal server and a world on it, calls `run` with both, and stops both. */
export async function withLosableTemporal(
  options: Omit<WorldOptions, 'temporalAddress'>,
  run: (world: World, temporal: LosableTemporal) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'paysession-losable-temporal-'));
  const databaseFile = join(folder, 'temporal.db');
  let temporal = await startTemporalServerOn({ databaseFile });
  const port = Number(temporal.address.split(':').at(-1));
  const world = await createWorld({ ...options, temporalAddress: temporal.address });
  try {
    await run(world, {
      lose: () => temporal.stop(),
      bringBack: async () => {
        temporal = await startTemporalServerOn({ databaseFile, port });
      },
    });
  } finally {
    await world.close();
    await temporal.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
