import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { resolveTemporalServer, startTemporalServer } from '../../src/temporal-server';
import { startPostgres } from '../../src/temporal-server/start-postgres';
import { migrated } from './migrated-ledger';
import type { SandboxOptions } from '../../sandbox';
import { SEARCH_ATTRIBUTES } from '../../src';
import { readCacheFolder } from '../../src/settings';
import { cpuMs, memoryMib } from '../figures/process-stat';
import { threadCpu, type ThreadCpu } from '../figures/thread-cpu';
import { counterSum } from '../figures/prometheus';
import { freeAddress } from './free-address';
import { startChild } from './child';
import { Service, type ServiceAddress } from './service';
import { DEFAULT_CLIENT } from '../../sandbox/default-client';

/** Everything that one side has for itself, so that its CPU can be told apart: a Temporal server, a worker, a payment service. */
export interface Lab {
  readonly client: Client;
  readonly service: Service;
  /** The PostgreSQL of the worker's ledger; absent where it has none. */
  readonly ledgerUrl?: string;
  /** CPU time so far of Temporal server and worker. */
  cpu(): Cpu;
  /** CPU time so far of the worker's threads. */
  workerThreads(): ThreadCpu;
  /** The memory that Temporal server and worker hold. */
  memory(): Memory;
  /** Heartbeats that the worker has sent to the Temporal server so far. */
  heartbeats(): Promise<number>;
  stop(): Promise<void>;
}

export interface Cpu {
  readonly atMs: number;
  readonly temporalMs: number;
  readonly workerMs: number;
}

export interface Memory {
  readonly temporalMib: number;
  readonly workerMib: number;
}

/** More than a workload makes. */
const MAX_CALLS = 1_000_000;
const MAX_SESSIONS = 50_000;

/** A Temporal server, whatever it consists of. */
export interface MeasuredServer {
  /** HOST:PORT. */
  readonly address: string;
  /** CPU time so far, in milliseconds. */
  cpuMs(): number;
  memoryMib(): number;
}

export interface LabOptions {
  readonly sandbox?: SandboxOptions;
  /** How many open sessions paysession's worker holds at most. @default its own */
  readonly heldAtMost?: number;
  /** Keeps the Temporal server's database in memory. @default in a file, as `paysession dev` does */
  readonly inMemory?: true;
  /** A Temporal server that several sides share. @default one of its own, as `paysession dev` starts it */
  readonly server?: MeasuredServer;
  /** Gives paysession's worker a ledger, on a PostgreSQL of its own. @default it has none */
  readonly ledger?: true;
}

/** @param worker the script of the worker's process */
export async function startLab(worker: string, options: LabOptions): Promise<Lab> {
  const stops: (() => unknown)[] = [];
  const stop = async () => {
    for (const stopOne of stops.splice(0).reverse()) await stopOne();
  };
  try {
    return { ...(await startParts(worker, options, stops)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(
  worker: string,
  { sandbox: sandboxOptions = {}, heldAtMost, inMemory, server, ledger }: LabOptions,
  stops: (() => unknown)[],
): Promise<Omit<Lab, 'stop'>> {
  const temporal = server ?? (await ownServer(inMemory === true, stops));

  const options: SandboxOptions = { maxCalls: MAX_CALLS, maxSessions: MAX_SESSIONS, ...sandboxOptions };
  const sandbox = await startChild<ServiceAddress>(require.resolve('./sandbox-process'), {
    SANDBOX_OPTIONS: JSON.stringify(options),
  });
  stops.push(() => sandbox.stop());

  const ledgerUrl = ledger === true ? await startLedger(stops) : undefined;
  const metricsAddress = await freeAddress();
  const workerProcess = await startChild(worker, {
    TEMPORAL_ADDRESS: temporal.address,
    METRICS_ADDRESS: metricsAddress,
    SERVICE_URL: sandbox.ready.url,
    CLIENT_ID: DEFAULT_CLIENT.clientId,
    CLIENT_SECRET: DEFAULT_CLIENT.clientSecret,
    ...(ledgerUrl !== undefined && { LEDGER_URL: ledgerUrl }),
    ...(heldAtMost !== undefined && { HELD_AT_MOST: String(heldAtMost) }),
  });
  stops.push(() => workerProcess.stop());

  // The native one: closed while a call waits to be repeated, it fails that call and nothing else.
  const connection = await NativeConnection.connect({ address: temporal.address });
  stops.push(() => connection.close());
  return {
    client: new Client({ connection }),
    service: new Service(sandbox.ready),
    ...(ledgerUrl !== undefined && { ledgerUrl }),
    cpu: () => ({ atMs: Date.now(), temporalMs: temporal.cpuMs(), workerMs: cpuMs(workerProcess.pid) }),
    workerThreads: () => threadCpu(workerProcess.pid),
    memory: () => ({ temporalMib: temporal.memoryMib(), workerMib: memoryMib(workerProcess.pid) }),
    heartbeats: async () => {
      const page = await (await fetch(`http://${metricsAddress}/metrics`)).text();
      return counterSum(page, 'temporal_request', 'operation="RecordActivityTaskHeartbeat"');
    },
  };
}

/** As `paysession dev` starts it, for all sides. */
async function ownServer(inMemory: boolean, stops: (() => unknown)[]): Promise<MeasuredServer> {
  const folder = ownFolder(stops);
  const { executable } = await resolveTemporalServer();
  const { address, pid, stop } = await startTemporalServer({
    executable,
    ...(!inMemory && { databaseFile: join(folder, 'temporal.db') }),
    searchAttributes: Object.values(SEARCH_ATTRIBUTES),
  });
  stops.push(stop);
  return { address, cpuMs: () => cpuMs(pid), memoryMib: () => memoryMib(pid) };
}

/** A folder for data. A bench that is ended by a signal leaves none behind either. */
function ownFolder(stops: (() => unknown)[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'paysession-bench-'));
  const remove = () => {
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', remove);
  stops.push(() => {
    process.off('exit', remove);
    remove();
  });
  return folder;
}

/** A PostgreSQL with the ledger's tables; gives its URL. Its folder comes to belong to another user, who enters no folder of root's. */
async function startLedger(stops: (() => unknown)[]): Promise<string> {
  const server = await startPostgres({ folder: ownFolder(stops), cacheFolder: readCacheFolder() });
  stops.push(() => server.stop());
  await migrated(server.url, () => Promise.resolve());
  return server.url;
}
