import { describe, expect, test } from '@jest/globals';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { retryingUpdate } from '../../../src/sessions/calls/session-calls';

/** The Temporal server's answer to an update that no workflow task has processed. */
const unprocessed = new WorkflowUpdateFailedError(
  'Workflow Update failed',
  ApplicationFailure.nonRetryable('it was not processed by the worker', 'UnprocessedUpdate'),
);
const refused = new WorkflowUpdateFailedError(
  'Workflow Update failed',
  ApplicationFailure.nonRetryable('no', 'INVALID_INPUT'),
);

describe('an update of a session', () => {
  test('is sent again with its id if a worker did not process it', async () => {
    const sent: string[] = [];
    const answer = await retryingUpdate('refresh-7', (id) => {
      sent.push(id);
      return sent.length < 3 ? Promise.reject(unprocessed) : Promise.resolve('seen');
    });
    expect([answer, sent]).toEqual(['seen', ['refresh-7', 'refresh-7', 'refresh-7']]);
  });

  test('is not sent again if the session refuses it', async () => {
    await expect(retryingUpdate('refresh-7', () => Promise.reject(refused))).rejects.toBe(refused);
  });
});
