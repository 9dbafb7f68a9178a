import {
  condition,
  continueAsNew,
  defineSignal,
  defineUpdate,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type * as activities from './activities';
import type { Details } from './activities';

/**
 * The baseline of the bench: a workflow that takes a payment, written by hand from Temporal's documentation. Activities
 * make the calls to the payment service. A durable timer waits between two polls, for a fixed time. A signal cancels
 * the session. An update returns the session's id once the session is created.
 */

const { authenticate, cancelSession } = proxyActivities<typeof activities>({
  startToCloseTimeout: '30s',
});

/** Never retried: the service has no idempotency key, so a second call may open a second session. */
const { createSession } = proxyActivities<typeof activities>({
  startToCloseTimeout: '30s',
  retry: { maximumAttempts: 1 },
});

/** Not retried. The next poll follows anyway, and retries would make a cancel wait for longer. */
const { sessionDetails } = proxyActivities<typeof activities>({
  startToCloseTimeout: '10s',
  retry: { maximumAttempts: 1 },
});

export const cancel = defineSignal('cancel');
export const opened = defineUpdate<string>('opened');

export interface BankPayment {
  readonly request: object;
  readonly pollEveryMs: number;
  /** The session's id, if an earlier run created the session. */
  readonly sessionId?: string;
}

export interface Paid {
  readonly sessionId: string;
  readonly status: string;
  /** When the workflow learned of the end, in milliseconds since 1970. */
  readonly knownAtMs: number;
}

export async function bankPayment(payment: BankPayment): Promise<Paid> {
  let { sessionId } = payment;
  let cancels = 0;
  setHandler(cancel, () => {
    cancels += 1;
  });
  setHandler(opened, async () => {
    await condition(() => sessionId !== undefined);
    return sessionId ?? '';
  });

  if (sessionId === undefined) {
    await authenticate();
    sessionId = await createSession(payment.request);
  }
  for (;;) {
    const isCancelled = await condition(() => cancels > 0, payment.pollEveryMs);
    if (isCancelled) {
      cancels = 0;
      await cancelSession(sessionId);
    }
    const details = await sessionDetails(sessionId).catch(() => undefined);
    if (details !== undefined && isFinal(details))
      return { sessionId, status: details.status, knownAtMs: Date.now() };
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof bankPayment>({ ...payment, sessionId });
    }
  }
}

/** EFT0302 means that the payor has not signed yet. */
function isFinal({ status, statusDetails }: Details): boolean {
  return status !== 'Initiated' && statusDetails !== 'EFT0302';
}
