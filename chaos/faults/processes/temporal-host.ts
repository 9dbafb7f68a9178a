import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DEVELOPMENT_DYNAMIC_CONFIG,
  resolveTemporalServer,
  startTemporalServer,
  type RunningTemporalServer,
} from '../../../src/temporal-server';
import { SEARCH_ATTRIBUTES } from '../../../src';
import { startCluster } from '../../cluster';

/** A session with more events continues as new. Most do, at any of their steps. */
const EVENTS_OF_A_RUN = 40;

/** A strike at one of the Temporal server's processes. Times are milliseconds since 1970. */
export interface Disturbance {
  readonly atMs: number;
  /** From then on, it can have been noticed. */
  quietFromMs: number;
}

/** A Temporal server whose processes can be killed. Its stored data outlives them. */
export interface TemporalHost {
  readonly address: string;
  /** The folder of its database; absent if it cannot be read. */
  readonly folder?: string;
  /** The strikes of other users, oldest first. @default no other users */
  readonly disturbances?: readonly Disturbance[];
  /** Ends one of its processes like a crash of the machine, starts it again, and returns its name. */
  killAndRestart(): Promise<string>;
  /** Ends the server, so that no client reaches it, and starts it again after this time, in milliseconds. */
  leaveFor(ms: number): Promise<void>;
  stop(): Promise<void>;
}

/** A server that can be restored to an earlier moment. */
export interface RestorableTemporal extends TemporalHost {
  /**
   * Ends it like a crash of the machine, keeps a copy of its database instead of an earlier one, and starts it again.
   */
  copy(): Promise<void>;
  /** Ends it in the same way, and starts it with the copy: everything stored since is lost. */
  restore(): Promise<void>;
}

/** Makes the server drop a session soon after the request: closed sessions wait for this time. */
const DROPS_SOON = { 'history.transferProcessorUpdateAckInterval': '"100ms"' };

export interface HostOptions {
  /** True if it drops closed sessions soon after the request. @default false */
  readonly dropsSoon?: boolean;
}

/** The development server, on a database file. */
export async function hostTemporal({ dropsSoon = false }: HostOptions = {}): Promise<RestorableTemporal> {
  const { executable } = await resolveTemporalServer();
  const folder = await mkdtemp(join(tmpdir(), 'paysession-faults-temporal-'));
  const [data, copied] = [join(folder, 'data'), join(folder, 'copied')];
  const start = (port: number) =>
    startTemporalServer({
      executable,
      port,
      databaseFile: join(data, 'temporal.db'),
      searchAttributes: Object.values(SEARCH_ATTRIBUTES),
      dynamicConfig: {
        ...DEVELOPMENT_DYNAMIC_CONFIG,
        'limit.historyCount.suggestContinueAsNew': String(EVENTS_OF_A_RUN),
        ...(dropsSoon && DROPS_SOON),
      },
    });
  let temporal: RunningTemporalServer = await start(0);
  const { address } = temporal;
  const port = Number(address.split(':').at(-1));
  const whileGone = async (work: () => Promise<unknown>) => {
    process.kill(temporal.pid, 'SIGKILL');
    await temporal.exited;
    await work();
    temporal = await start(port);
  };
  const replace = async (from: string, to: string) => {
    await rm(to, { recursive: true, force: true });
    await cp(from, to, { recursive: true });
  };
  return {
    address,
    folder,
    leaveFor: (ms) => whileGone(() => sleep(ms)),
    killAndRestart: async () => {
      await whileGone(() => Promise.resolve());
      return 'server';
    },
    copy: () => whileGone(() => replace(data, copied)),
    restore: () => whileGone(() => replace(copied, data)),
    stop: async () => {
      await temporal.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** In turn, so that each kind happens soon. */
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

/** Without them, clients cannot reach a cluster. */
const FRONTENDS = ['frontend-1', 'frontend-2'];

/** Strikes a cluster: kills one of its nodes at a time, restarts PostgreSQL, or lets its standby take over. */
export async function hostCluster({ dropsSoon = false }: HostOptions = {}): Promise<TemporalHost> {
  const dynamicConfig = dropsSoon ? DROPS_SOON : {};
  const cluster = await startCluster({ standby: true, dynamicConfig });
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

/** Longer than a struck Temporal server needs to answer again. */
const ANSWERS_AGAIN_MS = 20_000;

/**
 * Returns a Temporal server for two campaigns. `own` strikes it. The other campaign learns of the strikes, but
 * strikes nothing: other sessions would lose their server too.
 */
export function sharedTemporal(host: TemporalHost): {
  readonly own: TemporalHost;
  readonly beside: TemporalHost;
} {
  const disturbances: Disturbance[] = [];
  const killAndRestart = async () => {
    const disturbance = { atMs: Date.now(), quietFromMs: Infinity };
    disturbances.push(disturbance);
    try {
      return await host.killAndRestart();
    } finally {
      disturbance.quietFromMs = Date.now() + ANSWERS_AGAIN_MS;
    }
  };
  const refuse = () => Promise.reject(new Error('others use this Temporal server'));
  return {
    own: { ...host, killAndRestart },
    beside: {
      ...host,
      disturbances,
      killAndRestart: refuse,
      leaveFor: refuse,
      stop: () => Promise.resolve(),
    },
  };
}
