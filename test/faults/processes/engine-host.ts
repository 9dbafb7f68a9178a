import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEVELOPMENT_DYNAMIC_CONFIG, resolveEngine, startEngine, type RunningEngine } from '../../../engine';
import { SEARCH_ATTRIBUTES } from '../../../src';
import { startCluster } from '../../cluster';

/** A session of more events continues as new: most do, at whatever step they are. */
const EVENTS_OF_A_RUN = 40;

/** An engine whose processes can be killed: what it has stored outlives them. */
export interface EngineHost {
  readonly address: string;
  /** The folder of its database; absent where nobody may look into it. */
  readonly folder?: string;
  /** Ends a process of it as if the machine had, starts it again, and says which. */
  killAndRestart(): Promise<string>;
  /** Ends it, so that nobody reaches it, and starts it again after so many milliseconds. */
  leaveFor(ms: number): Promise<void>;
  stop(): Promise<void>;
}

/** The development server, on a database file. */
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
  const leaveFor = async (ms: number) => {
    process.kill(engine.pid, 'SIGKILL');
    await engine.exited;
    await sleep(ms);
    engine = await start(port);
  };
  return {
    address,
    folder,
    leaveFor,
    killAndRestart: async () => {
      await leaveFor(0);
      return 'server';
    },
    stop: async () => {
      await engine.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** In turn, so that each kind comes soon. */
const NODES = [
  'history-1',
  'matching-1',
  'PostgreSQL',
  'frontend-1',
  'history-2',
  'PostgreSQL failover',
  'matching-2',
  'frontend-2',
];

/** Without them nobody reaches a cluster. */
const FRONTENDS = ['frontend-1', 'frontend-2'];

/** A cluster: one of its nodes is killed at a time, or PostgreSQL restarted, or its standby takes over. */
export async function hostCluster(): Promise<EngineHost> {
  const cluster = await startCluster({ standby: true });
  let kills = 0;
  return {
    address: cluster.address,
    killAndRestart: async () => {
      const name = NODES[kills % NODES.length] ?? '';
      kills += 1;
      if (name === 'PostgreSQL') {
        await cluster.restartDatabase({ mode: 'immediate' });
      } else if (name === 'PostgreSQL failover') {
        await cluster.failOver();
      } else {
        await cluster.killNode(name);
        await cluster.startNode(name);
      }
      return name;
    },
    leaveFor: async (ms) => {
      for (const name of FRONTENDS) await cluster.killNode(name);
      await sleep(ms);
      for (const name of FRONTENDS) await cluster.startNode(name);
    },
    stop: () => cluster.stop(),
  };
}
