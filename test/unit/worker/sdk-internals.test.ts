import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { Worker } from '@temporalio/worker';
import { Activator } from '@temporalio/workflow/lib/internals';
import { withoutWatchdog, WORKFLOW_TIME } from '../../../worker/sdk-internals';

describe('the worker’s time limit for calls into workflow code', () => {
  const recording = Object.assign(
    function base() {
      return undefined;
    },
    {
      createWorkflowCreator: (...call: unknown[]): unknown => call,
    },
  );
  const unwatched = withoutWatchdog(recording as unknown as typeof Worker);

  const passedToSdk = (options: object) =>
    (unwatched as unknown as typeof recording).createWorkflowCreator('bundle', options, 'logger');

  test('is not passed to the SDK’s sandbox', () => {
    const { isolateExecutionTimeout: isolateExecutionTimeoutMs } = WORKFLOW_TIME;
    const options = { isolateExecutionTimeoutMs, reuseV8Context: true };
    expect(passedToSdk(options)).toStrictEqual([
      'bundle',
      { isolateExecutionTimeoutMs: undefined, reuseV8Context: true },
      'logger',
    ]);
  });

  test('is passed to the SDK’s sandbox if the user has set it', () => {
    const options = { isolateExecutionTimeoutMs: 5_000 };
    expect(passedToSdk(options)).toStrictEqual(['bundle', options, 'logger']);
  });
});

test('outside the sandbox of workflows, importing the worker does not change Promise', () => {
  expect(Promise.constructor).toBe(Function);
  expect(Object.getOwnPropertyDescriptor(Promise, 'all')).toHaveProperty('value');
});

/**
 * If one of these digests changes, read the SDK's new source text next to `worker/sdk-internals.ts`. Check that the promise hook still
 * works as that file assumes, and that `vm` still receives the limit from there. Then write the new digest here, and the SDK's version
 * in that file.
 */
describe('the installed Temporal SDK has the source text on which worker/sdk-internals.ts relies, in', () => {
  const textOf = (file: string) => readFileSync(require.resolve(`@temporalio/worker/lib/${file}.js`), 'utf8');
  const [createWorkflowCreator = ''] =
    /static async createWorkflowCreator[^]*?\n {4}\}\n/.exec(textOf('worker')) ?? [];

  test.each([
    [
      'vm-shared.js',
      textOf('workflow/vm-shared'),
      'f526eb66f88dd444a23e9862911b69db584dacdd7fab118ac53acd521344026c',
    ],
    [
      'reusable-vm.js',
      textOf('workflow/reusable-vm'),
      '1f6ec7d347dee4b48fc8ca14a1c3dd7ed1c82abd45175669e13c78aa1164ec68',
    ],
    [
      'threaded-vm.js',
      textOf('workflow/threaded-vm'),
      'c0c76241f3c3e25b39fed3893035370188088b95b0f276ec4e423aec8c912d3b',
    ],
    [
      'workflow-worker-thread.js',
      textOf('workflow/workflow-worker-thread'),
      '90673d5b74aa51fdf66e4435c8f73d8a003e892ec9826866fe07ef6251089052',
    ],
    [
      'createWorkflowCreator',
      createWorkflowCreator,
      'ec42f5505f789ac171cec71db2ba75b816a16f6cc8a273dced306f79f151db45',
    ],
    [
      'getStackTraces',
      String(Reflect.get(Activator.prototype, 'getStackTraces')),
      'dbe9be74805deb89908ab42ba3d143fcd60cb477caae427c480fd047be9d0110',
    ],
  ])('%s', (_name, text, digest) => {
    expect(createHash('sha256').update(text).digest('hex')).toBe(digest);
  });
});
