import { describe, expect, test } from '@jest/globals';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { retryingUpdate } from '../../../src/sessions/calls/session-calls';

/** The Temporal server's answer to an update that a workflow task did not answer. */
const unprocessed = new WorkflowUpdateFailedError(
  'Workflow Update failed',
  ApplicationFailure.nonRetryable('it was not processed by the worker', 'UnprocessedUpdate'),
);
const refused = new WorkflowUpdateFailedError(
  'Workflow Update failed',
  ApplicationFailure.nonRetryable('no', 'INVALID_INPUT'),
);

describe('an update of a session', () => {
  test('that a worker did not process is sent again, with the same id', async () => {
    const sent: string[] = [];
    const answer = await retryingUpdate('refresh-7', (id) => {
      sent.push(id);
      return sent.length < 3 ? Promise.reject(unprocessed) : Promise.resolve('seen');
    });
    expect([answer, sent]).toEqual(['seen', ['refresh-7', 'refresh-7', 'refresh-7']]);
  });

  test('that the session refuses is not sent again', async () => {
    await expect(retryingUpdate('refresh-7', () => Promise.reject(refused))).rejects.toBe(refused);
  });
});
