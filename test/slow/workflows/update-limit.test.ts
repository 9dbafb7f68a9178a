import { describe, expect, test } from '@jest/globals';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import type { PaymentSessionHandle } from '../../../src';
import { leftOpen } from '../../support/requests';
import { useTemporalServer } from '../../support/worlds/own-temporal';
import { useWorld } from '../../support/worlds/use-world';

/** The Temporal server takes 2,000 updates for a run; here it is twenty, so that a test need not send so many. */

const RARELY = { fastestPoll: '1h', slowestPoll: '1h', refreshSpacing: '50ms' } as const;

/** Asks for the payor's page as a program in another language does, whose SDK does not ask again by itself. */
async function asksForPage(session: PaymentSessionHandle, client: typeof told.client, times: number) {
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
const told = useWorld(() => ({ temporalAddress: temporal.address }));

test('a followed session continues as new before the Temporal server refuses updates', async () => {
  const { session, sessionId } = await told.sessions.open(told.input(leftOpen(), RARELY));
  await asksForPage(session, told.client, 50);
  expect(await session.refresh()).toMatchObject({ phase: 'open', sessionId });
  expect(await session.cancelAndWait()).toMatchObject({ outcome: 'cancelled' });
});

describe('where the Temporal server does not suggest it in time', () => {
  const silent = useTemporalServer({
    'history.maxTotalUpdates': '20',
    'history.maxTotalUpdates.suggestContinueAsNewThreshold': '5.0',
  });
  const world = useWorld(() => ({ temporalAddress: silent.address }));

  test('a refresh says what is wrong, and a cancel goes another way', async () => {
    const { session } = await world.sessions.open(world.input(leftOpen(), RARELY));
    await asksForPage(session, world.client, 19);
    await expect(session.refresh()).rejects.toMatchObject({ code: 'SESSION_UPDATE_LIMIT' });
    await expect(session.cancelAndWait()).rejects.toMatchObject({ code: 'CANCEL_PENDING' });
    expect(await session.result()).toMatchObject({ cancel: { outcome: 'cancelled' } });
  });
});
