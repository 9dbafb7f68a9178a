import { context, type Span, type Tracer } from '@opentelemetry/api';
import type { Context as ActivityContext } from '@temporalio/activity';
import type { ActivityInterceptors, ActivityExecuteInput } from '@temporalio/worker';
import type { PaymentActivities } from '../../activities';
import { accountOf } from '../logs/activity-attributes';
import { carrierIn, contextOf, logAttributes } from './carrier';
import { ATTRIBUTES, inSpan, word } from './spans';

/** It may last for months, in hundreds of attempts: only what its polls find is worth spans. */
const WITHOUT_SPAN = 'followSession' satisfies keyof PaymentActivities;

/** Activities go on with the trace of their session. */
export function activityTracing(tracer: Tracer): (activity: ActivityContext) => ActivityInterceptors {
  return ({ info }) => ({
    inbound: {
      execute: (input, next) => {
        const parent = contextOf(carrierIn(input.headers));
        if (info.activityType === WITHOUT_SPAN) return context.with(parent, () => next(input));
        return inSpan(tracer, {
          name: `RunActivity:${info.activityType}`,
          attributes: attributesOf(info, input),
          parent,
          run: async (span) => {
            const result = await next(input);
            showOutcome(span, result);
            return result;
          },
        });
      },
    },
    outbound: { getLogAttributes: (input, next) => next({ ...logAttributes(), ...input }) },
  });
}

function attributesOf(
  info: ActivityContext['info'],
  { args }: ActivityExecuteInput,
): Record<string, string | number> {
  const { activityId, workflowExecution, attempt, currentAttemptScheduledTimestampMs } = info;
  const account = accountOf(args[0]);
  return {
    [ATTRIBUTES.activityId]: activityId,
    ...(workflowExecution !== undefined && {
      [ATTRIBUTES.workflowId]: workflowExecution.workflowId,
      [ATTRIBUTES.runId]: workflowExecution.runId,
    }),
    ...(account !== undefined && { 'paysession.account': account }),
    'paysession.attempt': attempt,
    'paysession.queued_ms': Math.max(0, Date.now() - currentAttemptScheduledTimestampMs),
  };
}

/** Most activities give what the service decided. */
function showOutcome(span: Span, result: unknown): void {
  const outcome = (result as { readonly outcome?: unknown } | undefined)?.outcome;
  if (typeof outcome === 'string') span.setAttribute('paysession.outcome', word(outcome));
}
