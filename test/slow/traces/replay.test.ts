import { expect, test } from '@jest/globals';
import { defaultPayloadConverter } from '@temporalio/common';
import { readHistories, replayHistories, type RecordedHistory } from '../../../testkit';
import { HISTORIES } from '../../replay/corpus/table';
import { testBundle } from '../../support/setup/global-values';
import { TRACE_HEADER } from '../../../src/protocol/temporal/telemetry';

const TRACE = { traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01` };

/** Yields the recorded histories, with this trace added to the headers of their start. */
async function* traced(trace: unknown): AsyncIterable<RecordedHistory> {
  for await (const { name, history } of readHistories([HISTORIES])) {
    const events = (history.events ?? []).map((event) => {
      const started = event.workflowExecutionStartedEventAttributes;
      if (started == null) return event;
      const fields = { ...started.header?.fields, [TRACE_HEADER]: defaultPayloadConverter.toPayload(trace) };
      return { ...event, workflowExecutionStartedEventAttributes: { ...started, header: { fields } } };
    });
    yield { name, history: { ...history, events } };
  }
}

test.each([
  ['a trace', TRACE],
  ['a header without a trace', null],
])('recorded sessions replay if their start has %s', async (_name, trace) => {
  const { replayed, divergences } = await replayHistories(traced(trace), { bundlePath: testBundle() });
  expect(divergences).toEqual([]);
  expect(replayed).toBeGreaterThan(100);
});
