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

/** A run with more history events continues as new. The number is so low that most sessions do so, at various steps. */
const EVENTS_OF_A_RUN = 40;

/** A strike at one of the Temporal server's processes. Times are milliseconds since 1970. */
export interface Disturbance {
  readonly atMs: number;
  /** From this time on, every effect of the strike has been noticed. `Infinity` while the strike lasts. */
  quietFromMs: number;
}

/** A Temporal server whose processes can be killed. Its stored data outlives them. */
export interface TemporalHost {
  readonly address: string;
  /** The folder of the server's database; absent if the database cannot be read as files. */
  readonly folder?: string;
  /** The strikes of another campaign that uses the server, oldest first. @default no other campaign uses it */
  readonly disturbances?: readonly Disturbance[];
  /** Ends one of the server's processes like a crash of the machine, starts it again, and returns its name. */
  killAndRestart(): Promise<string>;
  /** Stops the server, so that no client reaches it, and starts it again after this time, in milliseconds. */
  leaveFor(ms: number): Promise<void>;
  stop(): Promise<void>;
}

/** A server that can be restored to an earlier moment. */
export interface RestorableTemporal extends TemporalHost {
  /**
   * Ends the server like a crash of the machine, copies its database in place of an earlier copy, and starts the server
   * again.
   */
  copy(): Promise<void>;
  /** Ends the server in the same way, and starts it with the copy: everything stored since the copy is lost. */
  restore(): Promise<void>;
}

/** The server drops a closed session only after this interval. A short one makes it do so soon after the request. */
const DROPS_SOON = { 'history.transferProcessorUpdateAckInterval': '"100ms"' };

export interface HostOptions {
  /** True if the server should drop a closed session soon after the request. @default false */
  readonly dropsSoon?: boolean;
}

/** Starts the development server with its data in a file. */
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

/** The targets of strikes at a cluster, in turn, so that each kind of strike happens soon. */
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

/** The nodes through which clients reach a cluster. */
const FRONTENDS = ['frontend-1', 'frontend-2'];

/** Starts a cluster. A strike kills one of its nodes, crashes and restarts PostgreSQL, or lets its standby take over. */
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

/** Longer than a struck Temporal server needs until it answers again. */
const ANSWERS_AGAIN_MS = 20_000;

/**
 * Shares a Temporal server between two campaigns. The campaign with `own` strikes it. The other campaign learns of these
 * strikes, but cannot strike: otherwise the sessions of the first campaign would lose their server, too.
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
