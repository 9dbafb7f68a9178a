import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { defaultPayloadConverter } from '@temporalio/common';
import type { PaymentSessionHandle, ResolveCreate } from '../../../src';
import { park } from '../../support/park';
import { stateOf } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';

const world = useWorld();

/** Returns the arguments of the `resolveCreate` updates that the session has accepted. */
async function resolutionsOf(session: PaymentSessionHandle): Promise<unknown[]> {
  const { events } = await world.client.workflow.getHandle(session.workflowId).fetchHistory();
  return (events ?? []).flatMap(({ workflowExecutionUpdateAcceptedEventAttributes: update }) => {
    const { name, args } = update?.acceptedRequest?.input ?? {};
    const [argument] = args?.payloads ?? [];
    return name === 'resolveCreate' && argument != null
      ? [defaultPayloadConverter.fromPayload<unknown>(argument)]
      : [];
  });
}

describe('a decision about a lost create request', () => {
  test('is recorded with the person’s name and the reason', async () => {
    const { session } = await park(world);
    await session.resolveCreate({ retry: true }, { by: 'Avery', reason: 'not in the list' });
    expect(await resolutionsOf(session)).toEqual([{ retry: true, by: 'Avery', reason: 'not in the list' }]);
    await session.cancelAndWait();
  });

  test('is recorded with the Temporal client’s identity if no person is named', async () => {
    const { session } = await park(world);
    await session.resolveCreate({ retry: true });
    const { identity } = world.client.workflow.options;
    expect(await resolutionsOf(session)).toEqual([{ retry: true, by: identity }]);
    await session.cancelAndWait();
  });

  test('is refused if it names an earlier create request than the last lost one', async () => {
    const { session } = await park(world);
    const idOf = async () => (await session.state()).parks?.at(-1)?.id ?? '';
    const creates = () => world.sandbox.calls.filter(({ route }) => route === 'create').length;
    const before = await idOf();
    world.sandbox.failNext('create', { kind: 'reset', phase: 'after' });
    await session.resolveCreate({ retry: true, park: before });
    await stateOf(session, ({ parks }) => parks?.length === 2);
    const made = creates();
    for (const answer of [{ retry: true }, { abandon: true }, { sessionId: randomUUID() }] as const)
      await expect(session.resolveCreate({ ...answer, park: before })).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        message: expect.stringContaining('a later create request'),
      });
    expect([creates(), (await session.state()).decisions.length]).toEqual([made, 1]);
    await session.resolveCreate({ abandon: true, park: await idOf() });
  });

  test.each([
    { retry: true, park: '' },
    { sessionId: 'not-a-uuid' },
    { sessionId: '../../x' },
    { retry: true, abandon: true },
    { retry: true, by: '' },
  ] as ResolveCreate[])('is refused before anything is sent if it is malformed: %j', async (answer) => {
    const nobody = world.sessions.get('no-such-session');
    await expect(nobody.resolveCreate(answer)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});
