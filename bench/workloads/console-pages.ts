import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { buildConsole } from '../../console/server/app';
import { resolveEngine, startEngine, type RunningEngine } from '../../engine';
import { PaymentSessions, SEARCH_ATTRIBUTES } from '../../src';
import { cpuMs } from '../figures/process-stat';
import { spread, type Spread } from '../figures/quantiles';
import { indexSessions } from './indexed-sessions';

/** What it takes to show a page, one look after the other. */
export interface PageFigures {
  /** From the request to the whole answer, in milliseconds. */
  readonly pageMs: Spread;
  /** How long of that the engine was asked something, in milliseconds. */
  readonly engineWaitMs: Spread;
  /** Questions to the engine while a page was made, its share of the counts that are kept for a moment included; the mean. */
  readonly questions: number;
  /** CPU time for a look, in milliseconds; the mean. */
  readonly engineCpuMs: number;
  readonly consoleCpuMs: number;
}

export interface ConsolePages {
  readonly sessions: number;
  readonly startedPerSecond: number;
  readonly pages: Readonly<Record<string, PageFigures>>;
}

export interface ConsolePagesOptions {
  readonly sessions: number;
  /** How often each page is looked at. */
  readonly looks: number;
  /** Keeps the sessions from run to run: only those that it lacks are started. @default they end with the engine */
  readonly databaseFile?: string | undefined;
}

const LOOK_EVERY_MS = 1_200;
const TASK_QUEUE = 'nobody-polls';

const PAGES: Readonly<Record<string, string>> = {
  overview: '/',
  'sessions, newest': '/sessions',
  'sessions, parked': '/sessions?phase=parked',
  'sessions, ended': '/sessions?phase=ended',
  'search by key': '/sessions?q=order-12345',
  'search by a beginning': '/sessions?q=order-4999',
};

/** How quickly the console shows an index of many sessions. */
export async function consolePages(options: ConsolePagesOptions): Promise<ConsolePages> {
  const { sessions, looks, databaseFile } = options;
  const stops: (() => unknown)[] = [];
  try {
    const engine = await startOwnEngine(stops, databaseFile);
    const connection = await Connection.connect({ address: engine.address });
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
    const pages: Record<string, PageFigures> = {};
    for (const [name, path] of Object.entries(PAGES)) {
      pages[name] = await look(`${url}${path}`, looks, { asked, engine });
    }
    return { sessions, startedPerSecond, pages };
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

async function startOwnEngine(stops: (() => unknown)[], databaseFile?: string): Promise<RunningEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'paysession-bench-'));
  const remove = () => {
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', remove);
  stops.push(remove);
  const { executable } = await resolveEngine({ ignoreAddress: true });
  const engine = await startEngine({
    executable,
    databaseFile: databaseFile ?? join(folder, 'engine.db'),
    searchAttributes: Object.values(SEARCH_ATTRIBUTES),
  });
  stops.push(() => engine.stop());
  return engine;
}

interface Watched {
  readonly asked: Questions;
  readonly engine: RunningEngine;
}

async function look(url: string, looks: number, { asked, engine }: Watched): Promise<PageFigures> {
  // Whoever looks first waits for what the others then share.
  await get(url);
  const pageMs: number[] = [];
  const engineWaitMs: number[] = [];
  const before = { questions: asked.count(), engineMs: cpuMs(engine.pid), consoleMs: cpuMs(process.pid) };
  for (let turn = 0; turn < looks; turn += 1) {
    // A list is kept for a second: each look is to be one of its own.
    await sleep(LOOK_EVERY_MS);
    const waitedMs = asked.waitedMs();
    const beganAtMs = performance.now();
    await get(url);
    pageMs.push(performance.now() - beganAtMs);
    engineWaitMs.push(asked.waitedMs() - waitedMs);
  }
  return {
    pageMs: spread(pageMs),
    engineWaitMs: spread(engineWaitMs),
    questions: (asked.count() - before.questions) / looks,
    engineCpuMs: (cpuMs(engine.pid) - before.engineMs) / looks,
    consoleCpuMs: (cpuMs(process.pid) - before.consoleMs) / looks,
  };
}

async function get(url: string): Promise<void> {
  const answer = await fetch(url);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text.slice(0, 2_000)}`);
}

interface Questions {
  count(): number;
  /** For how long so far at least one was under way, in milliseconds. */
  waitedMs(): number;
}

type Question = 'listWorkflowExecutions' | 'countWorkflowExecutions' | 'describeTaskQueue';
const QUESTIONS: readonly Question[] = [
  'listWorkflowExecutions',
  'countWorkflowExecutions',
  'describeTaskQueue',
];

/** Watches what a connection asks the engine. */
function watchQuestions({ workflowService }: Connection): Questions {
  let count = 0;
  let running = 0;
  let sinceMs = 0;
  let waitedMs = 0;
  const service = workflowService as unknown as Record<Question, (request: object) => Promise<unknown>>;
  for (const name of QUESTIONS) {
    const ask = service[name].bind(workflowService);
    service[name] = async (request) => {
      count += 1;
      if (running === 0) sinceMs = performance.now();
      running += 1;
      try {
        return await ask(request);
      } finally {
        running -= 1;
        if (running === 0) waitedMs += performance.now() - sinceMs;
      }
    };
  }
  return {
    count: () => count,
    waitedMs: () => waitedMs + (running === 0 ? 0 : performance.now() - sinceMs),
  };
}
