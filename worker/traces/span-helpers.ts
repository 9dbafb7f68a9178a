import { SpanStatusCode, trace, type Context, type Span, type Tracer } from '@opentelemetry/api';
import { ApplicationFailure } from '@temporalio/common';
import { isPaysessionError } from '../../src/errors';

/** Options of `clientTracing`. */
export interface ClientTracingOptions {
  /** Makes the spans. @default the tracer `paysession` of the provider that is registered with `@opentelemetry/api` */
  readonly tracer?: Tracer;
}

export const tracerOf = ({ tracer }: ClientTracingOptions): Tracer => tracer ?? trace.getTracer('paysession');

/** Attributes under the names that Temporal's own OpenTelemetry interceptors use. */
export const ATTRIBUTES = {
  workflowId: 'temporalWorkflowId',
  runId: 'run_id',
  activityId: 'temporalActivityId',
  updateId: 'temporalUpdateId',
  nexusService: 'temporalNexusService',
  nexusOperation: 'temporalNexusOperation',
} as const;

export interface Work<T> {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** @default the context of this moment */
  readonly parent: Context;
  readonly run: (span: Span) => Promise<T>;
}

/** What an activity throws that delivers its result itself: it has not failed. Told by its name: clients trace without activities. */
const DELIVERED = 'CompleteAsyncError';

/** Does work in a span of its own. */
export function inSpan<T>(tracer: Tracer, { name, attributes, parent, run }: Work<T>): Promise<T> {
  return tracer.startActiveSpan(name, { attributes }, parent, async (span) => {
    try {
      return await run(span);
    } catch (error) {
      const type = errorType(error);
      if (type !== DELIVERED) markFailed(span, type);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** A span shows what kind of error it was, never the message: messages may quote what others sent. */
export function markFailed(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

export function errorType(error: unknown): string {
  if (isPaysessionError(error)) return error.code;
  if (error instanceof ApplicationFailure && error.type) return error.type;
  return error instanceof Error ? error.name : 'Error';
}

/** A word of the service; what does not look like one may be anything. */
export function word(text: string): string {
  return /^[A-Za-z0-9_]{1,32}$/.test(text) ? text : 'unreadable';
}
