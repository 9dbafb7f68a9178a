import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import {
  resolveTemporalServer,
  startTemporalServer,
  type RunningTemporalServer,
} from '../../src/temporal-server';
import { PaymentSessions, SEARCH_ATTRIBUTES } from '../../src';
import { cpuMs } from '../figures/process-stat';
import { mean, spread, type Spread } from '../figures/quantiles';
import { indexSessions } from './indexed-sessions';
import { buildConsole } from '../../console/serve-console';

/** The cost of a page of the console. The requests are sent one after the other. */
export interface PageFigures {
  /** The time from the request to the whole answer, in milliseconds. */
  readonly pageMs: Spread;
  /** The part of `pageMs` during which the page waited for a call to the Temporal server. */
  readonly temporalWaitMs: Spread;
  /**
   * The mean number of calls to the Temporal server per request. Counts that several pages share are included in part.
   */
  readonly questions: number;
  /** The mean CPU time of the Temporal server per request, in milliseconds. */
  readonly serverCpuMs: number;
  /** The mean CPU time of the console per request, in milliseconds. */
  readonly consoleCpuMs: number;
}

export interface ConsolePages {
  readonly sessions: number;
  readonly startedPerSecond: number;
  readonly pages: Readonly<Record<string, PageFigures>>;
}

export interface ConsolePagesOptions {
  readonly sessions: number;
  /** The number of requests of each page. */
  readonly requests: number;
  /**
   * A database file that keeps the sessions between runs of the bench, so that only missing sessions are started.
   * @default the sessions end with the Temporal server
   */
  readonly databaseFile?: string | undefined;
}

/**
 * The wait after each request. The console caches lists for a second. With this wait, each of the six pages is
 * requested less than once a second, so that no list comes from the cache.
 */
const REQUESTS_APART_MS = 220;
const TASK_QUEUE = 'nobody-polls';

const PAGES: Readonly<Record<string, string>> = {
  overview: '/',
  'sessions, newest': '/sessions',
  'sessions, parked': '/sessions?phase=parked',
  'sessions, ended': '/sessions?phase=ended',
  'search by key': '/sessions?q=order-1234',
  'search by the start of a key': '/sessions?q=order-4999',
};

/** Measures how quickly the console shows an index of many sessions. */
export async function consolePages(options: ConsolePagesOptions): Promise<ConsolePages> {
  const { sessions, requests, databaseFile } = options;
  const stops: (() => unknown)[] = [];
  try {
    const temporal = await startOwnTemporalServer(stops, databaseFile);
    const connection = await Connection.connect({ address: temporal.address });
    stops.push(() => connection.close());
    const client = new Client({ connection });
    const beganAtMs = performance.now();
    const started = await indexSessions(client, { count: sessions, taskQueue: TASK_QUEUE });
    const startedPerSecond = (1_000 * started) / (performance.now() - beganAtMs);
    const app = buildConsole({
      client,
      sessions: new PaymentSessions(client),
      taskQueue: TASK_QUEUE,
      access: { kind: 'local', operator: { name: 'bench', role: 'viewer' } },
    });
    stops.push(() => app.close());
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const calls = watchCalls(connection);
    const pages = await requestInTurn(url, requests, { calls, temporal });
    return { sessions, startedPerSecond, pages };
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

async function startOwnTemporalServer(
  stops: (() => unknown)[],
  databaseFile?: string,
): Promise<RunningTemporalServer> {
  const folder = mkdtempSync(join(tmpdir(), 'paysession-bench-'));
  const remove = () => {
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', remove);
  stops.push(remove);
  const { executable } = await resolveTemporalServer();
  const temporal = await startTemporalServer({
    executable,
    databaseFile: databaseFile ?? join(folder, 'temporal.db'),
    searchAttributes: Object.values(SEARCH_ATTRIBUTES),
  });
  stops.push(() => temporal.stop());
  return temporal;
}

interface Watched {
  readonly calls: WatchedCalls;
  readonly temporal: RunningTemporalServer;
}

async function requestInTurn(
  url: string,
  requests: number,
  watched: Watched,
): Promise<ConsolePages['pages']> {
  const pages = Object.entries(PAGES).map(([name, path]) => ({
    name,
    path,
    costs: [] as PageCost[],
  }));
  // The first request of a page waits for data that later requests use again.
  for (const { path } of pages) await get(`${url}${path}`);
  for (let turn = 0; turn < requests; turn += 1) {
    for (const { path, costs } of pages) costs.push(await measuredRequest(`${url}${path}`, watched));
  }
  return Object.fromEntries(pages.map(({ name, costs }) => [name, figuresOf(costs)]));
}

interface PageCost {
  readonly pageMs: number;
  readonly temporalWaitMs: number;
  readonly questions: number;
  readonly serverCpuMs: number;
  readonly consoleCpuMs: number;
}

/**
 * Requests a page and measures its cost. Then waits a moment, so that the cost includes work after the answer, such as
 * counting sessions.
 */
async function measuredRequest(url: string, { calls, temporal }: Watched): Promise<PageCost> {
  const now = () => ({
    temporalWaitMs: calls.waitedMs(),
    questions: calls.count(),
    serverCpuMs: cpuMs(temporal.pid),
    consoleCpuMs: cpuMs(process.pid),
  });
  const before = now();
  const beganAtMs = performance.now();
  await get(url);
  const pageMs = performance.now() - beganAtMs;
  const temporalWaitMs = calls.waitedMs() - before.temporalWaitMs;
  await sleep(REQUESTS_APART_MS);
  const after = now();
  return {
    pageMs,
    temporalWaitMs,
    questions: after.questions - before.questions,
    serverCpuMs: after.serverCpuMs - before.serverCpuMs,
    consoleCpuMs: after.consoleCpuMs - before.consoleCpuMs,
  };
}

function figuresOf(costs: readonly PageCost[]): PageFigures {
  const of = (name: keyof PageCost) => costs.map((each) => each[name]);
  return {
    pageMs: spread(of('pageMs')),
    temporalWaitMs: spread(of('temporalWaitMs')),
    questions: mean(of('questions')),
    serverCpuMs: mean(of('serverCpuMs')),
    consoleCpuMs: mean(of('consoleCpuMs')),
  };
}

async function get(url: string): Promise<void> {
  const answer = await fetch(url);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text.slice(0, 2_000)}`);
}

interface WatchedCalls {
  count(): number;
  /** Returns the total time so far during which a page waited for at least one call, in milliseconds. */
  waitedMs(): number;
}

/** The calls for which pages wait. The other calls are counts, for which pages wait only a moment. */
const WAITED_FOR = ['listWorkflowExecutions', 'describeWorkflowExecution', 'describeTaskQueue'] as const;
const COUNTS = ['countWorkflowExecutions'] as const;

/** Watches a connection's calls to the Temporal server. */
function watchCalls({ workflowService }: Connection): WatchedCalls {
  let count = 0;
  let running = 0;
  let sinceMs = 0;
  let waitedMs = 0;
  const service = workflowService as unknown as Record<string, (request: object) => Promise<unknown>>;
  const watch = (name: string, began: () => void, ended: () => void) => {
    const ask = service[name]?.bind(workflowService);
    if (ask === undefined) throw new Error(`the connection has no call ${name}`);
    service[name] = async (request) => {
      count += 1;
      began();
      try {
        return await ask(request);
      } finally {
        ended();
      }
    };
  };
  const began = () => {
    if (running === 0) sinceMs = performance.now();
    running += 1;
  };
  const ended = () => {
    running -= 1;
    if (running === 0) waitedMs += performance.now() - sinceMs;
  };
  for (const name of WAITED_FOR) watch(name, began, ended);
  const ignored = () => undefined;
  for (const name of COUNTS) watch(name, ignored, ignored);
  return {
    count: () => count,
    waitedMs: () => waitedMs + (running === 0 ? 0 : performance.now() - sinceMs),
  };
}
