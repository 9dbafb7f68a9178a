import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { explain } from '../../../../src';
import { usePaymentWorld } from '../../../support/worlds/payment-world';
import { completing, eft } from '../../../support/requests';
import { stateOf } from '../../../support/wait';
import { useWorld } from '../../../support/worlds/use-world';

/** A world in virtual time. The waits that the service requests take no real time. */
const world = usePaymentWorld();

test('the state of a session that waits for a token has the end of the wait', async () => {
  world.service.fail('authorize', { kind: 'status', status: 429, retryAfter: '600' });
  const session = await world.sessions.start({
    key: `test-${randomUUID()}`,
    request: completing(),
  });
  await world.advance('10s');
  const { phase, trouble } = await session.state();
  expect([phase, trouble?.code]).toEqual(['creating', 'SERVICE_RATE_LIMITED']);
  const { startTime } = await world.client.workflow.getHandle(session.workflowId).describe();
  expect(Date.parse(trouble?.until ?? '') - startTime.getTime()).toBeGreaterThan(590_000);
  expect(await session.result()).toMatchObject({ paid: true });
});

test('a session ends at its deadline if its create request would have to wait longer', async () => {
  world.service.fail('create', { kind: 'status', status: 429, retryAfter: '36' });
  const session = await world.sessions.start({
    key: `test-${randomUUID()}`,
    request: eft(),
    policy: { deadline: '10s' },
  });
  await world.advance('5s');
  const { trouble } = await session.state();
  expect(trouble?.code).toBe('SERVICE_RATE_LIMITED');
  await expect(session.result()).rejects.toMatchObject({ code: 'CREATE_DEADLINE_PASSED' });
  const { startTime, closeTime } = await world.client.workflow.getHandle(session.workflowId).describe();
  const deadlineAtMs = startTime.getTime() + 10_000;
  // Temporal’s timers are exact to the second.
  expect(Math.abs(Date.parse(trouble?.until ?? '') - deadlineAtMs)).toBeLessThan(1_000);
  expect(Math.abs((closeTime?.getTime() ?? 0) - deadlineAtMs)).toBeLessThan(2_000);
});

describe('if no worker takes activities', () => {
  const world = useWorld({ startsWorker: false });

  test('a session that fails at its deadline names the missing worker', async () => {
    await world.startWorker({ takesActivities: false });
    const session = await world.sessions.start(world.input(eft(), { deadline: '3s' }));
    const trouble = { code: 'WORKER_UNAVAILABLE', message: explain('WORKER_UNAVAILABLE') };
    expect(await stateOf(session, (state) => state.trouble !== undefined)).toMatchObject({ trouble });
    await world.stopWorker();
    await world.startWorker();
    await expect(session.result()).rejects.toMatchObject({
      code: 'CREATE_DEADLINE_PASSED',
      state: { trouble },
    });
  });
});
