import { WithStartWorkflowOperation, type Client } from '@temporalio/client';
import { PaymentSessions, type SessionPolicy } from '../../src';
import { cancel, opened, type bankPayment } from '../baseline/workflow';
import { opened as openedOnFloor, type floor } from './floor-workflow';
import { startLab, type Lab, type LabOptions } from './lab';
import { requestOf } from './request';

/** A session that has ended. */
export interface Ending {
  readonly sessionId: string;
  readonly status: string;
  /** When the workflow learned of the end, in milliseconds since 1970. */
  readonly knownAtMs: number;
}

/** The calls that the bench makes to sessions, by their keys. Each side has an implementation. */
export interface Sessions {
  /**
   * Starts a session in one round trip, waits until the session is open at the payment service, and returns its id at
   * the service.
   */
  open(key: string, referenceId: string): Promise<string>;
  /** Requests that a session is cancelled. */
  cancel(key: string): Promise<void>;
  /** Waits for the end of a session. */
  ended(key: string): Promise<Ending>;
  workflowIdOf(key: string): string;
}

export interface Side extends Lab {
  readonly name: SideName;
  readonly sessions: Sessions;
}

export const SIDES = ['paysession', 'baseline'] as const;
/** The sides that run whole payment sessions. */
export type JobSide = (typeof SIDES)[number];
/** `floor` is a program that makes only the calls of a session that ends at once. */
export type SideName = JobSide | 'floor';

export interface SideOptions extends LabOptions {
  /** The policy of paysession's sessions. @default paysession's default policy */
  readonly policy?: SessionPolicy;
  /**
   * The time between two polls of the baseline, and before the floor's only poll, in milliseconds.
   * @default BASELINE_POLLS_EVERY_MS
   */
  readonly baselinePollsEveryMs?: number;
}

const BASELINE_POLLS_EVERY_MS = 2_000;

const SCRIPTS: Readonly<Record<SideName, string>> = {
  paysession: require.resolve('./paysession-worker'),
  baseline: require.resolve('../baseline/worker'),
  floor: require.resolve('./floor-worker'),
};

const SESSIONS: Readonly<Record<SideName, (client: Client, options: SideOptions) => Sessions>> = {
  paysession: ofPaysession,
  baseline: ofBaseline,
  floor: ofFloor,
};

export async function startSide(name: SideName, options: SideOptions = {}): Promise<Side> {
  const lab = await startLab(SCRIPTS[name], options);
  return { ...lab, name, sessions: SESSIONS[name](lab.client, options) };
}

function ofPaysession(client: Client, { policy }: SideOptions): Sessions {
  const sessions = new PaymentSessions(client, { openTimeoutMs: 600_000 });
  return {
    open: async (key, referenceId) => {
      const input = { key, request: requestOf(referenceId), ...(policy && { policy }) };
      return (await sessions.open(input)).sessionId;
    },
    cancel: (key) => sessions.get(key).cancel(),
    ended: async (key) => {
      const { sessionId = '', status, stateHistory } = await sessions.get(key).result();
      return { sessionId, status, knownAtMs: Date.parse(stateHistory.at(-1)?.firstSeenAt ?? '') };
    },
    workflowIdOf: (key) => sessions.get(key).workflowId,
  };
}

function ofBaseline(
  client: Client,
  { baselinePollsEveryMs = BASELINE_POLLS_EVERY_MS }: SideOptions,
): Sessions {
  return {
    open: (key, referenceId) => {
      const startWorkflowOperation = new WithStartWorkflowOperation<typeof bankPayment>('bankPayment', {
        workflowId: key,
        taskQueue: 'bank-payments',
        args: [{ request: requestOf(referenceId), pollEveryMs: baselinePollsEveryMs }],
        workflowIdConflictPolicy: 'USE_EXISTING',
      });
      return client.workflow.executeUpdateWithStart(opened, { startWorkflowOperation });
    },
    cancel: (key) => client.workflow.getHandle(key).signal(cancel),
    ended: (key) => client.workflow.getHandle<typeof bankPayment>(key).result(),
    workflowIdOf: (key) => key,
  };
}

function ofFloor(
  client: Client,
  { baselinePollsEveryMs: pollAfterMs = BASELINE_POLLS_EVERY_MS }: SideOptions,
): Sessions {
  return {
    open: (key, referenceId) => {
      const startWorkflowOperation = new WithStartWorkflowOperation<typeof floor>('floor', {
        workflowId: key,
        taskQueue: 'floor',
        args: [{ request: requestOf(referenceId), pollAfterMs }],
        workflowIdConflictPolicy: 'FAIL',
      });
      return client.workflow.executeUpdateWithStart(openedOnFloor, { startWorkflowOperation });
    },
    // The floor's workflow ends by itself.
    cancel: () => Promise.resolve(),
    ended: (key) => client.workflow.getHandle<typeof floor>(key).result(),
    workflowIdOf: (key) => key,
  };
}
