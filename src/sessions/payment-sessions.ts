import { WithStartWorkflowOperation, type Client } from '@temporalio/client';
import { DEFAULT_TASK_QUEUE, MESSAGES, WORKFLOW_TYPE } from '../protocol/names';
import type { OpenedSession } from '../protocol/session';
import type { PaymentSessionInput } from '../protocol/input';
import type { PaymentSessionWorkflow } from '../protocol/session';
import { sharedUpdateId } from '../protocol/shared-update';
import { isEncrypting } from '../protocol/worker-identity';
import { answered, pollersOf } from './calls/attended';
import { callEngine, isLostUpdate, refusalCode } from './calls/engine-errors';
import { assertValidInput, fingerprintOf } from './start/input';
import { listSessions, type SessionFilter, type SessionSummary } from './list/list-sessions';
import { PaymentSessionHandle } from './payment-session-handle';
import {
  startEach,
  type StartedSession,
  type StartManyOptions,
  type StartManyResult,
} from './start/start-many';
import { sharedByKey } from './calls/shared-calls';
import { assertSameRequest, startOptionsOf } from './start/start-options';
import { within } from './calls/within';

/** Options of `PaymentSessions`. */
export interface PaymentSessionsOptions {
  /** The task queue that the workers poll. @default 'payment-sessions' */
  readonly taskQueue?: string;
  /** How long `open` and `opened` wait for the session to be created, in milliseconds. @default 30000 */
  readonly openTimeoutMs?: number;
  /** How long `state` and `stateHistory` wait for a worker, in milliseconds. @default 10000 */
  readonly queryTimeoutMs?: number;
  /** How long `cancelAndWait`, `refresh` and `resolveCreate` wait for their answer, in milliseconds. @default 60000 */
  readonly updateTimeoutMs?: number;
}

/** An opened session: send the payor to `checkoutUrl`. */
export interface OpenedPaymentSession extends OpenedSession {
  /** The session, to follow or cancel it. */
  readonly session: PaymentSessionHandle;
}

/**
 * Starts, finds and follows payment sessions through a Temporal client.
 *
 * @example
 * ```ts
 * const sessions = new PaymentSessions(new Client({ connection: await Connection.connect() }));
 * const { checkoutUrl, session } = await sessions.open({ key: 'order-1042', request });
 * console.log(checkoutUrl); // send the payor there
 * const { paid } = await session.result();
 * ```
 */
export class PaymentSessions {
  private readonly options: Required<PaymentSessionsOptions>;
  private readonly shared = sharedByKey();

  constructor(
    private readonly client: Client,
    options: PaymentSessionsOptions = {},
  ) {
    this.options = {
      taskQueue: DEFAULT_TASK_QUEUE,
      openTimeoutMs: 30_000,
      queryTimeoutMs: 10_000,
      updateTimeoutMs: 60_000,
      ...options,
    };
  }

  /**
   * Starts a session, or attaches to the one that has the key already. Throws `InvalidRequestError` listing every
   * failure before anything is started, `SessionConflictError` when the key belongs to another request, and
   * `PaysessionError` `ENGINE_UNAVAILABLE`.
   *
   * @example
   * ```ts
   * const session = await sessions.start({ key: 'order-1042', request, policy: { deadline: '2h' } });
   * ```
   */
  async start(input: PaymentSessionInput): Promise<PaymentSessionHandle> {
    return (await this.startOrAttach(input)).session;
  }

  /**
   * Starts a session as `start` does and waits for its checkout URL, in one round trip to the engine. Throws what
   * `start` and `PaymentSessionHandle.opened` throw.
   *
   * @example
   * ```ts
   * const { checkoutUrl } = await sessions.open({ key: 'order-1042', request });
   * ```
   */
  async open(input: PaymentSessionInput): Promise<OpenedPaymentSession> {
    assertValidInput(input);
    const session = this.get(input.key);
    const endsAtMs = Date.now() + this.options.openTimeoutMs;
    const opened = await session.whileOpening(async () => {
      try {
        return await this.startOpening(input, session.workflowId);
      } catch (error) {
        if (!isUnsettled(error)) await assertSameRequest(this.client, input, error);
        return session.openedBefore(endsAtMs);
      }
    });
    return { ...opened, session };
  }

  /**
   * The engine joins updates of one id, also those of callers with another request for the key: the request's fingerprint
   * in the id keeps those apart, who learn of the conflict.
   */
  private startOpening(input: PaymentSessionInput, workflowId: string): Promise<OpenedSession> {
    const startWorkflowOperation = new WithStartWorkflowOperation<PaymentSessionWorkflow>(
      WORKFLOW_TYPE,
      startOptionsOf(input, this.options.taskQueue),
    );
    const updateId = sharedUpdateId(fingerprintOf(input));
    return answered(this.client, { workflowId, timeoutMs: this.options.openTimeoutMs }, () =>
      this.client.workflow.executeUpdateWithStart<PaymentSessionWorkflow, OpenedSession, []>(
        MESSAGES.awaitOpened,
        { startWorkflowOperation, updateId },
      ),
    );
  }

  /**
   * Starts many sessions, a bounded number at once, and gives what became of each in the order of the inputs: one that is
   * refused does not stop the others. Safe to run again: sessions that exist already are attached to.
   *
   * @example
   * ```ts
   * for await (const { key, ...became } of sessions.startMany([{ key: 'order-1', request }])) console.log(key, became);
   * ```
   */
  startMany(
    inputs: AsyncIterable<PaymentSessionInput> | Iterable<PaymentSessionInput>,
    options: StartManyOptions = {},
  ): AsyncIterable<StartManyResult> {
    return startEach((input) => this.startOrAttach(input), inputs, options);
  }

  /**
   * The session with this key, whether or not there is one: its methods throw `SESSION_NOT_FOUND`.
   *
   * @example
   * ```ts
   * const { paid } = await sessions.get('order-1042').state();
   * ```
   */
  get(key: string): PaymentSessionHandle {
    return new PaymentSessionHandle(this.client, key, this.options, this.shared);
  }

  /**
   * Sessions that match the filter, newest first, fetched page by page.
   *
   * @example
   * ```ts
   * for await (const { key, status } of sessions.list({ running: true })) console.log(key, status);
   * ```
   */
  list(filter: SessionFilter = {}): AsyncIterable<SessionSummary> {
    return listSessions(this.client, filter);
  }

  /**
   * Whether workers of the task queue encrypt what the engine stores: a client without their keys would store requests in
   * plain text. `false` where no worker says so. Throws `PaysessionError` `ENGINE_UNAVAILABLE`.
   */
  async workersEncrypt(): Promise<boolean> {
    const { queryTimeoutMs, taskQueue } = this.options;
    return callEngine('', async () => {
      const pollers = await within(this.client, queryTimeoutMs, () => pollersOf(this.client, taskQueue));
      return pollers.some(({ identity, recent }) => recent && isEncrypting(identity));
    });
  }

  private async startOrAttach(input: PaymentSessionInput): Promise<StartedSession> {
    assertValidInput(input);
    const session = this.get(input.key);
    const startOptions = startOptionsOf(input, this.options.taskQueue);
    return callEngine(input.key, async () => {
      try {
        await this.client.workflow.start<PaymentSessionWorkflow>(WORKFLOW_TYPE, startOptions);
        return { session, attached: false };
      } catch (error) {
        await assertSameRequest(this.client, input, error);
        return { session, attached: true };
      }
    });
  }
}

/** Whether an update that many share tells nothing of the session now: it was dropped, or settled before. */
function isUnsettled(error: unknown): boolean {
  const code = refusalCode(error);
  return isLostUpdate(error) || code === 'CREATE_OUTCOME_UNKNOWN' || code === 'SESSION_CONTINUED';
}
