import { readFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { defaultPayloadConverter } from '@temporalio/common';
import { coresdk } from '@temporalio/proto';
import { parseWorkflowCode } from '@temporalio/worker/lib/worker';
import type { Workflow } from '@temporalio/worker/lib/workflow/interface';
import { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm';
import { PREBUILT_BUNDLE } from '../../worker/workflow-source';
import { quantile } from '../figures/quantiles';
import { requestOf } from '../sides/request';

/** The cost of workflow code. It runs in the SDK's sandbox, in this process, without a server. */
interface CodeFigures {
  /** The median CPU time per session, in milliseconds. The sessions end at once. */
  readonly codeCpuMs: number;
  /** Memory per open session, in KiB. */
  readonly codeKib: number;
}

interface Way {
  readonly name: string;
  /** A text of the workflow bundle, and a text of equal length that replaces it. @default the bundle is not changed */
  readonly change?: readonly [text: string, other: string];
  /** The time limit of the SDK's watchdog. @default no watchdog */
  readonly limitMs?: number;
}

const NO_SHARED_MODULES = ['exports.preloadModules =', 'exports.neverPreloaded ='] as const;
/**
 * The SDK's promise hook compiles the first text. If the bundle has the second text instead, the SDK formats all
 * stacks.
 */
const ALL_STACKS_FORMATTED = ["'return globalThis.Error'", "'RETURN globalThis.Error'"] as const;

/**
 * The ways to run workflow code. The first way has all three savings (docs/decisions/what-a-worker-costs.md). Each
 * further way lacks one more saving. The baseline has none, as the SDK by default.
 */
const WAYS: readonly Way[] = [
  { name: 'paysession' },
  { name: 'without stacks on request', change: ALL_STACKS_FORMATTED },
  { name: 'also without shared modules', change: NO_SHARED_MODULES },
  { name: 'baseline', change: NO_SHARED_MODULES, limitMs: 3_600_000 },
];

export interface WorkflowCodeOptions {
  /** Sessions of each way in a turn. */
  readonly sessions: number;
  readonly turns: number;
}

/** Measures workflow code in each way. The ways take turns. */
export async function workflowCode(options: WorkflowCodeOptions): Promise<Record<string, CodeFigures>> {
  const bundle = await readFile(PREBUILT_BUNDLE, 'utf8');
  const measured = [];
  for (const way of WAYS) measured.push({ way, creator: await load(bundle, way), cpuMs: [] as number[] });
  // The first turn of each way is only a warm-up.
  for (let turn = 0; turn <= options.turns; turn += 1) {
    for (const { creator, cpuMs } of measured) {
      const before = process.cpuUsage();
      for (let index = 0; index < options.sessions; index += 1) await runSession(creator);
      const { user, system } = process.cpuUsage(before);
      if (turn > 0) cpuMs.push((user + system) / 1_000 / options.sessions);
    }
  }
  const figures: Record<string, CodeFigures> = {};
  for (const { way, creator, cpuMs } of measured)
    figures[way.name] = {
      codeCpuMs: quantile(cpuMs, 0.5),
      codeKib: await memoryKib(creator, options.sessions),
    };
  return figures;
}

function load(bundle: string, { change, limitMs }: Way): Promise<ReusableVMWorkflowCreator> {
  const [text = '', other = ''] = change ?? [];
  if (!bundle.includes(text)) throw new Error(`the bundle lacks ${text}`);
  const code = parseWorkflowCode(bundle.replace(text, other), PREBUILT_BUNDLE);
  const activities = new Set(['createSession', 'followSession']);
  return ReusableVMWorkflowCreator.create(code, limitMs as number, activities);
}

async function memoryKib(creator: ReusableVMWorkflowCreator, sessions: number): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const open: Workflow[] = [];
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < sessions; index += 1) open.push(await openSession(creator));
  collect();
  const bytes = process.memoryUsage().heapUsed - before;
  for (const session of open) await session.dispose();
  return bytes / 1_024 / sessions;
}

type Job = coresdk.workflow_activation.IWorkflowActivationJob;

async function runSession(creator: ReusableVMWorkflowCreator): Promise<void> {
  const session = await openSession(creator);
  const snapshot = { status: 'Completed', code: 'EFT0301', amount: 25 };
  await step(session, [
    activityEnded(2, { outcome: 'seen', snapshot, lookedAfterMs: 100, sinceLookMs: 100 }),
  ]);
  await session.dispose();
}

const activityEnded = (seq: number, result: object): Job => ({
  resolveActivity: { seq, result: { completed: { result: defaultPayloadConverter.toPayload(result) } } },
});

let runs = 0;

async function openSession(creator: ReusableVMWorkflowCreator): Promise<Workflow> {
  runs += 1;
  const runId = `run-${runs}`;
  const workflowId = `payment-session/${runId}`;
  const now = Date.now();
  const session = await creator.createWorkflow({
    info: {
      workflowId,
      runId,
      workflowType: 'paymentSession',
      taskQueue: 'bench',
      namespace: 'default',
      firstExecutionRunId: runId,
      originalExecutionRunId: runId,
      startTime: new Date(now),
      runStartTime: new Date(now),
      unsafe: { isReplaying: false, isReplayingHistoryEvents: false },
    } as Parameters<ReusableVMWorkflowCreator['createWorkflow']>[0]['info'],
    randomnessSeed: [runs % 256, runs >> 8],
    now,
    showStackTraceSources: false,
  });
  const input = { key: runId, request: requestOf(runId) };
  const started = {
    initializeWorkflow: {
      workflowId,
      workflowType: 'paymentSession',
      arguments: [defaultPayloadConverter.toPayload(input)],
      firstExecutionRunId: runId,
      attempt: 1,
    },
  };
  const asked = { id: 'opened', protocolInstanceId: 'opened', name: 'awaitOpened', runValidator: true };
  await step(session, [started, { doUpdate: asked }]);
  await step(session, [
    activityEnded(1, { outcome: 'created', sessionId: runId, checkoutUrl: 'https://pay.example/app' }),
  ]);
  return session;
}

async function step(session: Workflow, jobs: Job[]): Promise<void> {
  const timestamp = { seconds: Math.floor(Date.now() / 1_000), nanos: 0 };
  const activation = { runId: `run-${runs}`, timestamp, historyLength: 3, jobs };
  const { failed } = await session.activate(
    coresdk.workflow_activation.WorkflowActivation.fromObject(activation),
  );
  if (failed != null) throw new Error(`the workflow's step failed: ${JSON.stringify(failed)}`);
  await session.getAndResetSinkCalls();
}
