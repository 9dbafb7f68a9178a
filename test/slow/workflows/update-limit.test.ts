import { describe, expect, test } from '@jest/globals';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import type { PaymentSessionHandle } from '../../../src';
import { leftOpen } from '../../support/requests';
import { useTemporalServer } from '../../support/worlds/own-temporal';
import { useWorld } from '../../support/worlds/use-world';

// Temporal accepts 2,000 updates per workflow run. Here, the limit is twenty, so that a test need not send 2,000.

const RARELY = { fastestPoll: '1h', slowestPoll: '1h', refreshSpacing: '50ms' } as const;

/** Requests the payor’s page `times` times, as a program with another SDK does. Such an SDK does not repeat a refused update. */
async function asksForPage(session: PaymentSessionHandle, client: typeof suggesting.client, times: number) {
  const workflow = client.workflow.getHandle(session.workflowId);
  for (let done = 0; done < times;) {
    try {
      await workflow.executeUpdate('awaitOpened');
      done += 1;
    } catch (error) {
      const isContinued =
        error instanceof WorkflowUpdateFailedError && String(error.cause).includes('new run');
      if (!isContinued) throw error;
    }
  }
}

const temporal = useTemporalServer({ 'history.maxTotalUpdates': '20' });
const suggesting = useWorld(() => ({ temporalAddress: temporal.address }));

test('an open session continues as new before the Temporal server refuses updates', async () => {
  const { session, sessionId } = await suggesting.sessions.open(suggesting.input(leftOpen(), RARELY));
  await asksForPage(session, suggesting.client, 50);
  expect(await session.refresh()).toMatchObject({ phase: 'open', sessionId });
  expect(await session.cancelAndWait()).toMatchObject({ outcome: 'cancelled' });
});

describe('if the Temporal server does not suggest to continue as new in time', () => {
  const silent = useTemporalServer({
    'history.maxTotalUpdates': '20',
    'history.maxTotalUpdates.suggestContinueAsNewThreshold': '5.0',
  });
  const world = useWorld(() => ({ temporalAddress: silent.address }));

  test('a refresh fails with SESSION_UPDATE_LIMIT, and a cancel still reaches the session', async () => {
    const { session } = await world.sessions.open(world.input(leftOpen(), RARELY));
    await asksForPage(session, world.client, 19);
    await expect(session.refresh()).rejects.toMatchObject({ code: 'SESSION_UPDATE_LIMIT' });
    await expect(session.cancelAndWait()).rejects.toMatchObject({ code: 'CANCEL_PENDING' });
    expect(await session.result()).toMatchObject({ cancel: { outcome: 'cancelled' } });
  });
});
