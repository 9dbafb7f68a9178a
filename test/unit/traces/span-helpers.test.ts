import { expect, test } from '@jest/globals';
import { INVALID_SPAN_CONTEXT, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { spanIn } from '../../../worker/traces/span-helpers';

test('a span with an invalid context, as an SDK without an exporter creates it, is ignored', () => {
  expect(spanIn(trace.setSpanContext(ROOT_CONTEXT, INVALID_SPAN_CONTEXT))).toBeUndefined();
  const span = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', traceFlags: 1 };
  expect(spanIn(trace.setSpanContext(ROOT_CONTEXT, span))).toBe(span);
});
