import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { defaultPayloadConverter } from '@temporalio/common';
import { ThreadedVMWorkflowCreator } from '@temporalio/worker/lib/workflow/threaded-vm';
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared';
import {
  WorkflowCode,
  toTimestamp,
  type Job,
  type RunningCode,
} from '../../support/ledger/model/workflow-code';
import { createWorld } from '../../support/worlds/world';
import { testBundle } from '../../support/setup/global-values';
import { eft, eTransfer } from '../../support/requests';
import type { SessionRequest } from '../../../src';
import { workflowCode } from '../../../worker/workflow-source';

// The worker replaces two parts of Temporal’s SDK: workflows share their loaded modules, and the SDK’s stack traces of promises
// are formatted only for a query. These tests compare both with the SDK’s own behaviour.

const before = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace');
const rejectionListeners = process.listeners('unhandledRejection');
const ROOT = join(__dirname, '..', '..', '..');
let bundle: string;

beforeAll(async () => {
  // Other tests of this process may have loaded workflow code, or replaced the SDK’s formatter of stack traces.
  globalHandlers.uninstall();
  bundle = await readFile(testBundle(), 'utf8');
});

afterAll(() => {
  globalHandlers.uninstall();
  Object.defineProperty(
    Error,
    'prepareStackTrace',
    before ?? { value: undefined, writable: true, configurable: true },
  );
  for (const listener of process.listeners('unhandledRejection'))
    if (!rejectionListeners.includes(listener)) process.off('unhandledRejection', listener);
});

/** Returns the bundle with `text` replaced by `other`. Both have the same length, so that the source map still fits. */
function withOther(text: string, other: string): string {
  expect(bundle).toContain(text);
  expect(other).toHaveLength(text.length);
  return bundle.replaceAll(text, other);
}

const STARTED_AT_MS = Date.UTC(2026, 0, 5);

interface Running {
  readonly run: RunningCode;
  readonly step: (...jobs: Job[]) => Promise<string>;
}

async function begin(code: WorkflowCode, name: string): Promise<Running> {
  const run = await code.begin({
    workflowId: `payment-session/${name}`,
    runId: name,
    firstRunId: name,
    originalRunId: name,
    namespace: 'default',
    startedAtMs: STARTED_AT_MS,
    seed: name.length,
  });
  let steps = 0;
  return {
    run,
    step: async (...jobs) => {
      steps += 1;
      const { commands } = await run.step(jobs, { atMs: STARTED_AT_MS + steps * 1_000, isReplaying: false });
      return JSON.stringify(commands);
    },
  };
}

const started = (name: string, request: SessionRequest): Job => ({
  initializeWorkflow: {
    workflowId: `payment-session/${name}`,
    workflowType: 'paymentSession',
    arguments: [defaultPayloadConverter.toPayload({ key: name, request })],
    firstExecutionRunId: name,
    attempt: 1,
    startTime: toTimestamp(STARTED_AT_MS),
  } as unknown as NonNullable<Job['initializeWorkflow']>,
});

const asked = (updateName: string): Job => ({
  doUpdate: { id: updateName, protocolInstanceId: updateName, name: updateName, runValidator: true },
});

const activityEnded = (seq: number, result: unknown): Job => ({
  resolveActivity: { seq, result: { completed: { result: defaultPayloadConverter.toPayload(result) } } },
});

const opened = (sessionId: string) =>
  activityEnded(1, { outcome: 'created', sessionId, checkoutUrl: `https://pay.example/${sessionId}` });

const COMPLETED = activityEnded(2, {
  outcome: 'seen',
  snapshot: { status: 'Completed', code: 'EFT0301', amount: 25 },
  lookedAfterMs: 100,
  sinceLookMs: 100,
});

describe('the stacks of promises', () => {
  const opens = [
    [started('one', eft()), asked('awaitOpened')],
    [opened('session-one'), asked('cancel')],
  ];
  /** A session that waits before its second create request. This wait is a `Promise.race`. */
  const retries = [
    [started('one', eft()), asked('awaitOpened')],
    [activityEnded(1, { outcome: 'notSent', failure: { code: 'SERVICE_UNREACHABLE', message: 'down' } })],
  ];

  /** Returns the answers to both stack queries after each step, and the number of stack frames that were formatted during the steps. */
  async function stacksIn(text: string, steps: readonly Job[][]) {
    const code = await WorkflowCode.loadHere(text, testBundle());
    const prepare = jest.spyOn(Error as Required<typeof Error>, 'prepareStackTrace');
    const session = await begin(code, 'one');
    const answers: string[] = [];
    let formattedFrames = 0;
    for (const jobs of steps) {
      prepare.mockClear();
      await session.step(...jobs);
      for (const [, frames] of prepare.mock.calls) formattedFrames += frames.length;
      // The query is repeated because the first one formats the stacks and later ones read the result.
      for (const queryType of ['__stack_trace', '__enhanced_stack_trace', '__stack_trace']) {
        const answer = await session.run.query({ queryId: queryType, queryType });
        const { data } = answer?.respondToQuery?.succeeded?.response ?? {};
        answers.push(Buffer.from(data ?? []).toString());
      }
    }
    prepare.mockRestore();
    await session.run.forget();
    await code.close();
    return { answers, formattedFrames };
  }

  const notPreloaded = () => withOther('exports.preloadModules =', 'exports.neverPreloaded =');

  test.each([
    ['opens and is cancelled', opens, 'handlers.ts'],
    ['waits to create again', retries, 'timers.ts'],
  ])('of a session that %s equal the SDK’s stacks byte for byte', async (_what, steps, frame) => {
    const lazy = await stacksIn(bundle, steps);
    const eager = await stacksIn(notPreloaded(), steps);
    expect(lazy.answers).toEqual(eager.answers);
    expect(lazy.answers.join()).toContain(frame);
  });

  test('are formatted only for a query', async () => {
    const lazy = await stacksIn(bundle, opens);
    const eager = await stacksIn(notPreloaded(), opens);
    // The frames that are still formatted belong to errors.
    expect(lazy.formattedFrames).toBeLessThan(eager.formattedFrames / 20);
  });

  test.each(['return globalThis.Error', 'return globalThis.__TEMPORAL_ACTIVATOR__'])(
    'are made by the SDK itself if the SDK’s code does not contain `%s`',
    async (text) => {
      const changed = withOther(`'${text}'`, `'${text.replace('return', 'RETURN')}'`);
      const { answers } = await stacksIn(changed, opens);
      expect(answers).toEqual((await stacksIn(notPreloaded(), opens)).answers);
    },
  );
});

describe('sessions that share their modules', () => {
  test('load them once, from the preloaded part of the bundle', () => {
    const [preloaded] = /exports\.preloadModules = [^}]+/.exec(bundle) ?? [];
    const { preloadModules, workflowsPath, workflowInterceptorModules } = workflowCode();
    expect(preloadModules).toEqual(expect.arrayContaining([workflowsPath, ...workflowInterceptorModules]));
    for (const path of preloadModules) expect(preloaded).toContain(relative(ROOT, path));
  });

  const steps = (name: string, request: SessionRequest): readonly Job[][] => [
    [started(name, request), asked('awaitOpened')],
    [{ updateRandomSeed: { randomnessSeed: 7 } as never }, opened(name)],
    [COMPLETED],
  ];

  async function commandsOf({ step }: Running, jobs: readonly Job[][]): Promise<readonly string[]> {
    const commands: string[] = [];
    for (const each of jobs) commands.push(await step(...each));
    return commands;
  }

  test('send the same commands as each session alone', async () => {
    const mine = steps('one', eft());
    const theirs = steps('other', eTransfer());
    const alone = async (name: string, jobs: readonly Job[][]) => {
      const code = await WorkflowCode.loadHere(bundle, testBundle());
      const session = await begin(code, name);
      const commands = await commandsOf(session, jobs);
      await session.run.forget();
      await code.close();
      return commands;
    };
    const expected = [await alone('one', mine), await alone('other', theirs)];
    const code = await WorkflowCode.loadHere(bundle, testBundle());
    const one = await begin(code, 'one');
    const other = await begin(code, 'other');
    const commands: string[][] = [[], []];
    for (const [index, jobs] of mine.entries()) {
      commands[0]?.push(await one.step(...jobs));
      commands[1]?.push(await other.step(...(theirs[index] ?? [])));
    }
    await one.run.forget();
    await other.run.forget();
    await code.close();
    expect(commands).toEqual(expected);
  });
});

test('a worker sets no time limit for running its workflows’ code', async () => {
  const create = jest.spyOn(ThreadedVMWorkflowCreator, 'create');
  const world = await createWorld();
  expect(create).toHaveBeenCalledTimes(1);
  expect(create.mock.calls[0]?.[0]).toMatchObject({ isolateExecutionTimeoutMs: undefined });
  create.mockRestore();
  await world.close();
});
