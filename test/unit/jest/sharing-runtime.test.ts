import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from '@jest/globals';
import { context, createContextKey, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { NodeSDK, tracing } from '@opentelemetry/sdk-node';
import * as statuses from '../../../src/contract/statuses';
import { readTemporalSettings } from '../../../src/settings';

/** Returns the source lines in an error's stack. */
function linesOf(error: unknown): readonly string[] {
  const { stack = '' } = error as Error;
  return Array.from(stack.matchAll(/(?:\(|at )(\/[^():]+\.ts):(\d+):\d+/g), ([, file = '', line]) =>
    String(readFileSync(file, 'utf8').split('\n')[Number(line) - 1]),
  );
}

describe('the sources that tests import', () => {
  test('are the modules that Node has loaded once for all test files of the process', () => {
    const path = require.resolve('../../../src/contract/statuses');
    expect(createRequire(__filename).cache[path]?.exports).toBe(statuses);
  });

  test('have the lines of their TypeScript files in stack traces, as the tests do', () => {
    let thrown: unknown;
    try {
      readTemporalSettings({ TEMPORAL_ADDRESS: 'x' });
    } catch (error) {
      thrown = error;
    }
    const lines = linesOf(thrown);
    expect(lines[0]).toContain('throw new SettingsError');
    expect(lines).toContainEqual(expect.stringContaining('readTemporalSettings('));
  });
});

/** The class of the environment in which Jest runs each test file. */
const ProcessEnvironment = createRequire(__filename)('../../support/jest/process-environment.cjs') as new (
  config: object,
) => { teardown(): Promise<void> };

describe('the end of a test file', () => {
  /** Starts tracing. Returns a function that returns the names of the exported spans. */
  function startTracing(): () => readonly string[] {
    const exporter = new tracing.InMemorySpanExporter();
    const spanProcessors = [new tracing.SimpleSpanProcessor(exporter)];
    new NodeSDK({
      spanProcessors,
      autoDetectResources: false,
      metricReaders: [],
      logRecordProcessors: [],
    }).start();
    return () => exporter.getFinishedSpans().map(({ name }) => name);
  }

  const key = createContextKey('kept');
  const keepsContext = () =>
    context.with(ROOT_CONTEXT.setValue(key, true), () => context.active().getValue(key) === true);

  test('stops its tracing, so that the next file traces to its own exporter', async () => {
    const environment = new ProcessEnvironment({ projectConfig: {} });
    const earlier = startTracing();
    trace.getTracer('test').startSpan('of the file').end();
    expect(keepsContext()).toBe(true);
    await environment.teardown();
    expect(keepsContext()).toBe(false);
    const later = startTracing();
    trace.getTracer('test').startSpan('of the next file').end();
    expect([earlier(), later()]).toEqual([['of the file'], ['of the next file']]);
    expect(keepsContext()).toBe(true);
  });
});
