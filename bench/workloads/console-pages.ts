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

/** The cost of showing a page, one request after the other. */
export interface PageFigures {
  /** From the request to the whole answer, in milliseconds. */
  readonly pageMs: Spread;
  /** The part of `pageMs` during which the page waited for a call to the Temporal server. */
  readonly temporalWaitMs: Spread;
  /** Calls to the Temporal server for a request, including the page's share of cached counts; the mean. */
  readonly questions: number;
  /** CPU time for a request, in milliseconds; the mean. */
  readonly serverCpuMs: number;
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
  readonly looks: number;
  /**
   * A database file that keeps the sessions between runs, so that only missing ones are started.
   * @default the sessions end with the Temporal server
   */
  readonly databaseFile?: string | undefined;
}

/**
 * The wait after each request. The console caches lists for a second. The six pages take turns, so that each is requested
 * less often than once a second, and no list comes from the cache.
 */
const LOOKS_APART_MS = 220;
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
  const { sessions, looks, databaseFile } = options;
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
    const asked = watchQuestions(connection);
    const pages = await lookInTurn(url, looks, { asked, temporal });
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
  readonly asked: Questions;
  readonly temporal: RunningTemporalServer;
}

async function lookInTurn(url: string, looks: number, watched: Watched): Promise<ConsolePages['pages']> {
  const pages = Object.entries(PAGES).map(([name, path]) => ({
    name,
    path,
    taken: [] as Look[],
  }));
  // The first request of a page waits for data that later requests use again.
  for (const { path } of pages) await get(`${url}${path}`);
  for (let turn = 0; turn < looks; turn += 1) {
    for (const { path, taken } of pages) taken.push(await look(`${url}${path}`, watched));
  }
  return Object.fromEntries(pages.map(({ name, taken }) => [name, figuresOf(taken)]));
}

interface Look {
  readonly pageMs: number;
  readonly temporalWaitMs: number;
  readonly questions: number;
  readonly serverCpuMs: number;
  readonly consoleCpuMs: number;
}

/** Requests a page, and waits a moment, so that its cost includes work after the answer, such as counting sessions. */
async function look(url: string, { asked, temporal }: Watched): Promise<Look> {
  const now = () => ({
    temporalWaitMs: asked.waitedMs(),
    questions: asked.count(),
    serverCpuMs: cpuMs(temporal.pid),
    consoleCpuMs: cpuMs(process.pid),
  });
  const before = now();
  const beganAtMs = performance.now();
  await get(url);
  const pageMs = performance.now() - beganAtMs;
  const temporalWaitMs = asked.waitedMs() - before.temporalWaitMs;
  await sleep(LOOKS_APART_MS);
  const after = now();
  return {
    pageMs,
    temporalWaitMs,
    questions: after.questions - before.questions,
    serverCpuMs: after.serverCpuMs - before.serverCpuMs,
    consoleCpuMs: after.consoleCpuMs - before.consoleCpuMs,
  };
}

function figuresOf(looks: readonly Look[]): PageFigures {
  const of = (name: keyof Look) => looks.map((each) => each[name]);
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

interface Questions {
  count(): number;
  /** Returns the time so far, in milliseconds, during which pages waited for at least one call. */
  waitedMs(): number;
}

/** The calls that pages wait for. The other calls are counts, for which pages wait only a moment. */
const WAITED_FOR = ['listWorkflowExecutions', 'describeWorkflowExecution', 'describeTaskQueue'] as const;
const OTHERS = ['countWorkflowExecutions'] as const;

/** Watches a connection's calls to the Temporal server. */
function watchQuestions({ workflowService }: Connection): Questions {
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
  for (const name of OTHERS) watch(name, ignored, ignored);
  return {
    count: () => count,
    waitedMs: () => waitedMs + (running === 0 ? 0 : performance.now() - sinceMs),
  };
}
