import process from 'node:process';
import { TerminalError, workflow } from '@restatedev/restate-sdk';
import { isFinal, mayBeRetried, PaymentService } from '../shared/payment-service.js';

/** @typedef {{ readonly sessionId: string, readonly checkoutUrl: string }} Opened */

const service = new PaymentService(process.env);

const OPENED = 'opened';

/** Options of steps. Without a limit, Restate retries a step until its failure is terminal. */
const RETRIED = { maxRetryAttempts: 10 };
const ONCE = { maxRetryAttempts: 1 };

/** Follows one payment session from its creation to its end. */
export const paymentSession = workflow({
  name: 'paymentSession',
  handlers: {
    /**
     * @param {import('@restatedev/restate-sdk').WorkflowContext} ctx
     * @param {number} pollEveryMs
     */
    async run(ctx, pollEveryMs) {
      // Not retried, because a second request may open a second session.
      const sessionId = await ctx.run('create', () => service.create(ctx.key), ONCE);
      await ctx.promise(OPENED).resolve({ sessionId, checkoutUrl: service.checkoutUrl(sessionId) });
      for (let polls = 1; ; polls += 1) {
        await ctx.sleep(pollEveryMs);
        const details = await ctx.run('details', () => orTerminal(service.details(sessionId)), RETRIED);
        if (isFinal(details)) return { status: details.status, polls };
      }
    },

    /**
     * @param {import('@restatedev/restate-sdk').WorkflowSharedContext} ctx
     * @returns {Promise<Opened>}
     */
    async opened(ctx) {
      return ctx.promise(OPENED);
    },

    /**
     * Cancels the session at the service. `run` sees the cancellation at its next poll.
     *
     * @param {import('@restatedev/restate-sdk').WorkflowSharedContext} ctx
     */
    async cancel(ctx) {
      /** @type {Opened} */
      const { sessionId } = await ctx.promise(OPENED);
      await ctx.run('cancel', () => orTerminal(service.cancel(sessionId)), RETRIED);
    },
  },
});

/**
 * @template Answer
 * @param {Promise<Answer>} call
 */
async function orTerminal(call) {
  try {
    return await call;
  } catch (error) {
    throw mayBeRetried(error) ? error : new TerminalError(String(error));
  }
}
