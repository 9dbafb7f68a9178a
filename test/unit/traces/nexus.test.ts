import { beforeEach, expect, test } from '@jest/globals';
import { SpanStatusCode } from '@opentelemetry/api';
import { tracing } from '@opentelemetry/sdk-node';
import type { NexusInboundCallsInterceptor } from '@temporalio/worker';
import { PaysessionError } from '../../../src';
import { toNexusError } from '../../../worker/nexus-handlers';
import { nexusTracing } from '../../../worker/traces/session-spans';

type StartInput = Parameters<NonNullable<NexusInboundCallsInterceptor['startOperation']>>[0];
type Next = Parameters<NonNullable<NexusInboundCallsInterceptor['startOperation']>>[1];

const exporter = new tracing.InMemorySpanExporter();
const provider = new tracing.BasicTracerProvider({
  spanProcessors: [new tracing.SimpleSpanProcessor(exporter)],
});

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';

/** Starts a Nexus operation with the headers of a traced workflow in another namespace. */
function start(next: Next): Promise<unknown> {
  const headers = { traceparent: `00-${TRACE}-${CALLER}-01` };
  const ctx = { service: 'paysession', operation: 'cancel', headers };
  const interceptor = nexusTracing(provider.getTracer('test'))({} as never);
  return interceptor.inbound?.startOperation?.({ ctx, input: {} } as unknown as StartInput, next) as never;
}

beforeEach(() => {
  exporter.reset();
});

test('a Nexus operation continues its caller’s trace', async () => {
  const done = { value: 'done' };
  expect(await start(() => Promise.resolve(done as never))).toBe(done);
  const [span] = exporter.getFinishedSpans();
  expect(span?.spanContext().traceId).toBe(TRACE);
  expect(span?.parentSpanContext?.spanId).toBe(CALLER);
  expect(span).toMatchObject({
    name: 'RunStartNexusOperation:paysession/cancel',
    attributes: { temporalNexusService: 'paysession', temporalNexusOperation: 'cancel' },
  });
});

test('the span of a failed Nexus operation has the error code, and no part of the message', async () => {
  const failure = toNexusError(new PaysessionError('SESSION_NOT_FOUND', 'order of Avery Tremblay')) as Error;
  await expect(start(() => Promise.reject(failure))).rejects.toBe(failure);
  const [span] = exporter.getFinishedSpans();
  expect(span?.status).toEqual({ code: SpanStatusCode.ERROR });
  expect(span?.attributes['error.type']).toBe('SESSION_NOT_FOUND');
  expect(JSON.stringify([span?.attributes, span?.events])).not.toContain('Avery');
});
