import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEVELOPMENT_DYNAMIC_CONFIG, resolveEngine, startEngine, type RunningEngine } from '../../../engine';
import { SEARCH_ATTRIBUTES } from '../../../src';

/** A session of more events continues as new: most do, at whatever step they are. */
const EVENTS_OF_A_RUN = 40;

/** An engine that can be killed: its database outlives it. */
export interface EngineHost {
  readonly address: string;
  /** The folder of its database. */
  readonly folder: string;
  /** Ends it as if the machine had, and starts it again. */
  killAndRestart(): Promise<void>;
  stop(): Promise<void>;
}

export async function hostEngine(): Promise<EngineHost> {
  const { executable } = await resolveEngine({ ignoreAddress: true });
  const folder = await mkdtemp(join(tmpdir(), 'paysession-faults-engine-'));
  const start = (port: number) =>
    startEngine({
      executable,
      port,
      databaseFile: join(folder, 'engine.db'),
      searchAttributes: Object.values(SEARCH_ATTRIBUTES),
      dynamicConfig: {
        ...DEVELOPMENT_DYNAMIC_CONFIG,
        'limit.historyCount.suggestContinueAsNew': String(EVENTS_OF_A_RUN),
      },
    });
  let engine: RunningEngine = await start(0);
  const { address } = engine;
  const port = Number(address.split(':').at(-1));
  return {
    address,
    folder,
    killAndRestart: async () => {
      process.kill(engine.pid, 'SIGKILL');
      await engine.exited;
      engine = await start(port);
    },
    stop: async () => {
      await engine.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
