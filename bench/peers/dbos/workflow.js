import process from 'node:process';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { isFinal, mayBeRetried, PaymentService } from '../shared/payment-service.js';

const service = new PaymentService(process.env);

const RETRIED = { retriesAllowed: true, maxAttempts: 10, shouldRetry: mayBeRetried };

export const OPENED = 'opened';

/** Follows one payment session from its creation to its end. */
export const paymentSession = DBOS.registerWorkflow(
  /**
   * @param {string} referenceId
   * @param {number} pollEveryMs
   */
  async (referenceId, pollEveryMs) => {
    // Not retried, because a second request may open a second session.
    const sessionId = await DBOS.runStep(() => service.create(referenceId), { name: 'create' });
    await DBOS.setEvent(OPENED, { sessionId, checkoutUrl: service.checkoutUrl(sessionId) });
    for (let polls = 1; ; polls += 1) {
      await DBOS.sleep(pollEveryMs);
      const details = await DBOS.runStep(() => service.details(sessionId), { name: 'details', ...RETRIED });
      if (isFinal(details)) return { status: details.status, polls };
    }
  },
  { name: 'paymentSession' },
);

/** Cancels a payment session at the service. The session's workflow sees the cancellation at its next poll. */
export const cancelPaymentSession = DBOS.registerWorkflow(
  /** @param {string} workflowId */
  async (workflowId) => {
    /** @type {{ readonly sessionId: string } | null} */
    const opened = await DBOS.getEvent(workflowId, OPENED);
    if (opened === null) throw new Error('There is no session to cancel yet');
    await DBOS.runStep(() => service.cancel(opened.sessionId), { name: 'cancel', ...RETRIED });
  },
  { name: 'cancelPaymentSession' },
);
