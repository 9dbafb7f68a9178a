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

/**
 * The processes of one side of a comparison: a worker, a sandbox that plays the payment service, and a Temporal server.
 * Several sides may share a Temporal server. The CPU of each process is measured separately.
 */
export interface Lab {
  readonly client: Client;
  readonly service: Service;
  /** The URL of the worker's ledger. Absent if the worker has no ledger. */
  readonly ledgerUrl?: string;
  /** Returns the CPU time of the Temporal server and the worker so far. */
  cpu(): Cpu;
  /** Returns the CPU time of the worker's threads so far. */
  workerThreads(): ThreadCpu;
  /** Returns the memory of the Temporal server and the worker. */
  memory(): Memory;
  /** Returns the number of heartbeats that the worker has sent to the Temporal server. */
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

/** The sandbox keeps this many calls and sessions. No workload makes more. */
const MAX_CALLS = 1_000_000;
const MAX_SESSIONS = 50_000;

/** A Temporal server whose CPU and memory are measured. It is one process or a cluster. */
export interface MeasuredServer {
  /** HOST:PORT. */
  readonly address: string;
  /** CPU time so far, in milliseconds. */
  cpuMs(): number;
  memoryMib(): number;
}

export interface LabOptions {
  readonly sandbox?: SandboxOptions;
  /**
   * The maximum number of open sessions that paysession's worker keeps in memory (holds). @default the worker's own
   * limit
   */
  readonly heldAtMost?: number;
  /** True if the Temporal server's database is in memory. @default in a file, as with `paysession dev` */
  readonly inMemory?: true;
  /** A Temporal server that several sides share. @default a separate server, as `paysession dev` starts it */
  readonly server?: MeasuredServer;
  /** True if paysession's worker has a ledger, on a separate PostgreSQL. @default false */
  readonly ledger?: true;
}

/**
 * Starts the processes of a lab, and waits until they are ready.
 *
 * @param worker the script of the worker's process
 */
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

  // If a native connection is closed while a call waits for its retry, only that call fails.
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

/** Starts a Temporal server for one side, as `paysession dev` does. */
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

/** Creates a folder for data. The folder is deleted when the lab stops, or when a signal ends the bench. */
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

/**
 * Starts a PostgreSQL server with the ledger's tables, and returns its URL. The server has a folder of its own, because
 * it does not run as root and cannot enter root's folders.
 */
async function startLedger(stops: (() => unknown)[]): Promise<string> {
  const server = await startPostgres({ folder: ownFolder(stops), cacheFolder: readCacheFolder() });
  stops.push(() => server.stop());
  await migrated(server.url, () => Promise.resolve());
  return server.url;
}
