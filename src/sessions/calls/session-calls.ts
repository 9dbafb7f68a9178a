import { randomUUID } from 'node:crypto';
import { WorkflowNotFoundError, type Client, type WorkflowHandle } from '@temporalio/client';
import { WORKFLOW_ID_PREFIX } from '../../protocol/names';
import type { ResolveCreate } from '../../protocol/resolution';
import type { PaymentSessionWorkflow } from '../../protocol/session';
import { answered } from './attended';
import { readEnded, type EndedSession } from '../ended-session';
import { repeatingUpdate } from './repeat-update';

export interface UpdateOptions {
  /** How long to wait for the answer, in milliseconds. */
  readonly timeoutMs: number;
  readonly argument?: ResolveCreate;
  /** @default a new one */
  readonly updateId?: string | undefined;
  /** Called when the session took the update, but not to its end: it is asked anew. */
  readonly onSentAway?: () => void;
}

/** The messages that a payment session is sent through the engine, each within a time. */
export class SessionCalls {
  readonly workflowId: string;
  readonly workflow: WorkflowHandle<PaymentSessionWorkflow>;

  constructor(
    private readonly client: Client,
    private readonly key: string,
  ) {
    this.workflowId = `${WORKFLOW_ID_PREFIX}${key}`;
    this.workflow = client.workflow.getHandle<PaymentSessionWorkflow>(this.workflowId);
  }

  /** An ended session is read from what the engine keeps, so that no worker is needed. */
  async query<T>(name: string, timeoutMs: number, fromEnd: (ended: EndedSession) => T): Promise<T> {
    const ended = await readEnded(this.key, this.workflow);
    if (ended !== undefined) return fromEnd(ended);
    const { client, workflowId } = this;
    return answered(client, { workflowId, timeoutMs }, () => this.workflow.query<T>(name));
  }

  /** The answer of an update; an ended session, which takes none, is read from what the engine keeps. */
  async update<T>(name: string, options: UpdateOptions, fromEnd: (ended: EndedSession) => T): Promise<T> {
    const { argument, onSentAway, updateId: id = randomUUID(), timeoutMs } = options;
    const send = (updateId: string) =>
      argument === undefined
        ? this.workflow.executeUpdate<T, []>(name, { updateId })
        : this.workflow.executeUpdate<T, [ResolveCreate]>(name, { args: [argument], updateId });
    const { client, workflowId } = this;
    const answer = () =>
      answered(client, { workflowId, timeoutMs }, () => repeatingUpdate(id, send, onSentAway));
    return this.runningOrEnded(answer, fromEnd);
  }

  /** The engine answers "not found" for messages to an ended session as well as for an unknown one. */
  async runningOrEnded<T>(call: () => Promise<T>, fromEnd: (ended: EndedSession) => T): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      const ended = await readEnded(this.key, this.workflow);
      if (ended === undefined) throw error;
      return fromEnd(ended);
    }
  }
}
