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

/**
 * A workflow run with more history events than this continues in a new run (as new). The number is so low that most sessions do so, at
 * various steps.
 */
const EVENTS_OF_A_RUN = 40;

/** The times of a strike (an act against a process, such as a kill). They are milliseconds since 1970. */
export interface Disturbance {
  readonly atMs: number;
  /** The time at which the system has noticed every effect of the strike. `Infinity` while the strike lasts. */
  quietFromMs: number;
}

/** A Temporal server whose processes can be killed. Its stored data outlives them. */
export interface TemporalHost {
  readonly address: string;
  /** The folder of the server's database; absent if the database cannot be read as files. */
  readonly folder?: string;
  /** The strikes of another campaign that shares the server, oldest first. @default no other campaign shares it */
  readonly disturbances?: readonly Disturbance[];
  /** Ends one of the server's processes as a crash of the machine would, starts it again, and returns its name. */
  killAndRestart(): Promise<string>;
  /** Stops the server, so that no client reaches it, and starts it again after this time, in milliseconds. */
  leaveFor(ms: number): Promise<void>;
  stop(): Promise<void>;
}

/** A server that can be restored to an earlier moment. */
export interface RestorableTemporal extends TemporalHost {
  /**
   * Ends the server as a crash of the machine would, copies its database, and starts the server again. The copy replaces an earlier copy.
   */
  copy(): Promise<void>;
  /** Ends the server as a crash of the machine would, and starts it with the copy. Everything that was stored after the copy is lost. */
  restore(): Promise<void>;
}

/** The server drops a closed session at the end of an interval of this length. A short interval makes it do so soon after the request. */
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

/** The targets of strikes against a cluster. Strikes use them in turn, so that each kind of strike happens soon. */
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

/** The longest time, in milliseconds, until a struck Temporal server answers again. */
const ANSWERS_AGAIN_MS = 20_000;

/**
 * Shares a Temporal server between two campaigns. The campaign with `own` strikes the server. The other campaign, which runs next to it,
 * sees these strikes, but cannot strike the server itself, because the sessions of the first campaign would lose it, too.
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
