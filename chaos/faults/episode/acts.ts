import { randomUUID } from 'node:crypto';
import type { Payload } from '@temporalio/common';
import { jsonPayload, rawCalls } from '../../../test/support/raw-calls';
import { resetRun } from '../../../test/support/reset-run';
import type { ActRecord } from '../invariants/evidence';
import type { Act, SessionPlan } from '../plan/plan';
import { sendHints } from './hints';
import { retryUntilAnswered } from './retry-until';
import type { SessionRun } from './session-run';

/** Error codes that any call about a session may return, because the session has failed, is parked, or ended before it was created. */
const ANSWERS = [
  'CREATE_OUTCOME_UNKNOWN',
  'CREATE_ABANDONED',
  'CREATE_DEADLINE_PASSED',
  'SESSION_NOT_OPENED',
  'SERVICE_REQUEST_REJECTED',
];
const STORM = 10;
const FLOOD = 20;

const ERRORS_OF_RESETS = ['SESSION_TERMINATED', 'CANCEL_PENDING'];

/**
 * Returns the error codes that a call may get in addition if an operator resets the session's workflow run. The reset terminates the run,
 * and a new run continues the session.
 */
export const errorsOfResets = ({ acts }: SessionPlan): readonly string[] =>
  acts.some(({ act }) => act.startsWith('reset')) ? ERRORS_OF_RESETS : [];

/**
 * True if the key may become free. If a cancellation or a deadline comes before the create request, the key can be started again. Only
 * `startAgain` does this, after the session's end, so the acts that start a key are skipped.
 */
const mayFreeKey = ({ acts, deadline }: SessionPlan): boolean =>
  deadline === 'overall' ||
  acts.some(
    ({ at, act }) => act.startsWith('cancel') && (at === 'start' || at === 'end' || at.call === 'create'),
  );

interface Call {
  readonly run: () => Promise<unknown>;
  /** True if the call is a cancellation. Once the call has succeeded, the cancellation must not be lost. */
  readonly isCancel?: boolean;
  /** Error codes of a cancellation that the Temporal server has accepted all the same. */
  readonly cancelsWith?: readonly string[];
  /** Permitted error codes. @default ANSWERS */
  readonly allowed?: readonly string[];
  /** The error code that the call must return. */
  readonly mustBe?: string;
}

/** Performs an act, and returns a record of each of its calls. */
export function perform(act: Act, run: SessionRun): Promise<ActRecord[]> {
  return Promise.all(callsOf(act, run).map((call) => recorded(act, call, run)));
}

async function recorded(
  act: Act,
  { run, isCancel = false, cancelsWith = [], allowed = ANSWERS, mustBe }: Call,
  { world: { patienceMs, desk }, plan }: SessionRun,
): Promise<ActRecord> {
  const atMs = Date.now();
  const error = await retryUntilAnswered(run, patienceMs);
  const isAllowed = (code: string) => [...allowed, ...errorsOfResets(plan)].includes(code);
  const isWrong = mustBe === undefined ? error !== undefined && !isAllowed(error) : error !== mustBe;
  const isTaken = error === undefined || cancelsWith.includes(error);
  return {
    act,
    atMs,
    doneMs: Date.now(),
    strikes: desk.countBetween(atMs, Date.now()),
    isCancel: isCancel && isTaken,
    isWrong,
    ...(error !== undefined && { error }),
  };
}

function callsOf(act: Act, run: SessionRun): readonly Call[] {
  const { world, input } = run;
  const many = (count: number, call: Call) => Array.from({ length: count }, () => call);
  const state: Call = { run: () => run.handle.state() };
  const refresh: Call = { run: () => run.handle.refresh() };
  const start: Call = { run: () => world.sessions.start(input) };
  switch (act) {
    case 'state':
      return [state];
    case 'refresh':
      return [refresh];
    case 'refreshStorm':
      return many(STORM, refresh);
    case 'duplicateStart':
      if (mayFreeKey(run.plan)) return [];
      return [
        start,
        start,
        start,
        { run: () => world.sessions.open(input), allowed: [...ANSWERS, 'SESSION_STILL_OPENING'] },
      ];
    case 'conflictingStart': {
      if (mayFreeKey(run.plan)) return [];
      const other = { ...input, request: { ...input.request, amount: 26 } };
      return [{ run: () => world.sessions.start(other), mustBe: 'SESSION_CONFLICT' }];
    }
    case 'cancelBySignal':
      return [bySignal(run)];
    case 'cancelByUpdate':
      return [byUpdate(run)];
    case 'cancelByWorkflow':
      return [byWorkflow(run)];
    case 'cancelByAllRoutes':
      return [bySignal(run), byUpdate(run), byWorkflow(run), bySignal(run), byUpdate(run), byWorkflow(run)];
    case 'updateStorm':
      return [...many(STORM, refresh), ...many(STORM, state)];
    case 'cancelPoisoned':
      return [raw(run, (calls, id) => calls.signal(id, 'cancel', [unreadable()]), true)];
    case 'poisonedMessages':
      return [
        raw(run, (calls, id) => calls.signal(id, 'nobodyKnowsIt', [unreadable()])),
        raw(run, (calls, id) => calls.query(id, 'state', [unreadable()])),
        raw(run, (calls, id) => calls.update(id, 'refresh', [unreadable()])),
        raw(run, (calls, id) => calls.update(id, 'awaitChange', [jsonPayload('"no number"')])),
      ];
    case 'hints':
      return [{ run: () => hint(run) }];
    case 'resetToStart':
      return [reset(run, 0)];
    case 'resetToNow':
      return [reset(run, -1)];
    case 'signalFlood':
      return many(
        FLOOD,
        raw(run, (calls, id) => calls.signal(id, `unknown-${randomUUID()}`, [jsonPayload('{"deep":[')])),
      );
  }
}

/** Sends hints about the latest session of the key, or about a session that does not exist. */
const hint = ({ world, created }: SessionRun): Promise<void> =>
  sendHints(world.hints, created.at(-1)?.sessionId ?? randomUUID());

const bySignal = (run: SessionRun): Call => ({ run: () => run.handle.cancel(), isCancel: true });

/** Cancels by a workflow update. If the update returns one of the codes in `cancelsWith`, the cancellation was accepted, too. */
const byUpdate = (run: SessionRun): Call => ({
  run: () => run.handle.cancelAndWait(),
  isCancel: true,
  cancelsWith: ['CANCEL_PENDING', 'CREATE_OUTCOME_UNKNOWN'],
  allowed: [...ANSWERS, 'CANCEL_PENDING'],
});

/**
 * Cancels the workflow by Temporal's own cancellation request. After a reset, the server applies signals and updates again, but not this
 * request. So a reset may lose such a cancellation.
 */
const byWorkflow = (run: SessionRun): Call => ({
  run: () => run.world.client.workflow.getHandle(run.handle.workflowId).cancel(),
  isCancel: !run.plan.acts.some(({ act }) => act.startsWith('reset')),
  allowed: ['WorkflowNotFoundError'],
});

/** Resets the run, like an operator. Does nothing if the session has ended. */
const reset = (run: SessionRun, taskIndex: number): Call => ({
  run: async () => {
    const { client } = run.world;
    const { workflowId } = run.handle;
    const { status } = await client.workflow.getHandle(workflowId).describe();
    if (status.name === 'RUNNING' && (await resetRun(client, workflowId, taskIndex))) run.resets += 1;
  },
});

type RawCall = (calls: ReturnType<typeof rawCalls>, workflowId: string) => Promise<unknown>;

/** Calls the workflow without the package's client, as a program with another SDK would. */
function raw(run: SessionRun, call: RawCall, isCancel = false): Call {
  return {
    isCancel,
    run: () => {
      const { client, taskQueue } = run.world;
      return call(rawCalls({ client, taskQueue }), run.handle.workflowId);
    },
    allowed: ['WorkflowNotFoundError'],
  };
}

/** Returns a payload whose encryption key does not exist. */
function unreadable(): Payload {
  return {
    metadata: { encoding: Buffer.from('binary/encrypted'), 'encryption-key-id': Buffer.from('foreign') },
    data: Buffer.from(randomUUID()),
  };
}
