import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { Client, WorkflowClient } from '@temporalio/client';
import { TemporalClaims } from '../../../worker/one-payment-one-key';
import { park } from '../../support/park';
import { leftOpen } from '../../support/requests';
import { until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';
import { claimWorkflowId } from '../../../src/protocol/activities';

const world = useWorld();

// Before a key adopts a session of the payment service, a worker claims that session id, so that no two keys follow one
// session. The claim is a small workflow. The worker also asks Temporal’s index for another key that follows the session.

/** Returns a client whose index is behind: until `catchUp` is called, it lists no workflow that starts from now on. */
function lateIndex() {
  const fromMs = Date.now();
  let isBehind = true;
  const queries: string[] = [];
  const { client } = world;
  async function* list(options: Parameters<WorkflowClient['list']>[0]) {
    queries.push(options?.query ?? '');
    for await (const found of client.workflow.list(options))
      if (!isBehind || found.startTime.getTime() < fromMs) yield found;
  }
  const workflow = Object.create(client.workflow, { list: { value: list } }) as WorkflowClient;
  return {
    client: Object.create(client, { workflow: { value: workflow } }) as Client,
    queries,
    catchUp: () => {
      isBehind = false;
    },
  };
}

/** Returns the claims of a second worker, which has created no session itself. */
const claimsOf = (client: Client, indexedWithinMs?: number) =>
  new TemporalClaims({
    client,
    sessions: world.sessions,
    taskQueue: world.taskQueue,
    ...(indexedWithinMs !== undefined && { indexedWithinMs }),
  });

const claimOf = (sessionId: string) => world.client.workflow.getHandle(claimWorkflowId(sessionId));

test('a session that another key has just created cannot be claimed, although Temporal’s index does not list it yet', async () => {
  const { session } = await park(world);
  const index = lateIndex();
  const other = await world.sessions.open(world.input(leftOpen()));
  const { sessionId } = other;
  const claims = claimsOf(index.client);
  const claimed = claims.claim(sessionId, session.key);
  await until(
    () => Promise.resolve(index.queries),
    (queries) => queries.some((query) => query.includes(claimWorkflowId(sessionId))),
  );
  index.catchUp();
  expect(await claimed).toEqual({ followedBy: other.session.key });
  await session.resolveCreate({ abandon: true });
  await other.session.cancelAndWait();
});

test('a claim is unclear while Temporal’s index stays behind, and succeeds for the same key once the index has caught up', async () => {
  const { session, lost } = await park(world);
  const index = lateIndex();
  const claims = claimsOf(index.client, 0);
  expect(await claims.claim(lost, session.key)).toEqual({ isUnclear: true });
  index.catchUp();
  await until(
    () => claims.claim(lost, session.key),
    ({ isUnclear }) => isUnclear !== true,
  );
  expect(await claims.claim(lost, session.key)).toEqual({});
  expect(await claims.preview(lost, 'another')).toEqual({ isUnclear: true, maybeFollowedBy: session.key });
  await session.resolveCreate({ abandon: true });
});

test('a session cannot be claimed if Temporal’s index lists another key that follows it', async () => {
  const { session } = await park(world);
  const other = await world.sessions.open(world.input(leftOpen()));
  const claims = claimsOf(world.client);
  await until(
    () => claims.preview(other.sessionId, session.key),
    ({ followedBy }) => followedBy === other.session.key,
  );
  expect(await claims.claim(other.sessionId, session.key)).toEqual({ followedBy: other.session.key });
  await expect(claimOf(other.sessionId).describe()).rejects.toThrow('not found');
  await session.resolveCreate({ abandon: true });
  await other.session.cancelAndWait();
});

test('a session that no other key follows can be claimed, and upper and lower case of its id mean the same', async () => {
  const { session, lost } = await park(world);
  const claims = claimsOf(world.client);
  expect(await claims.claim(lost.toUpperCase(), session.key)).toEqual({});
  expect((await claimOf(lost).describe()).memo).toEqual({ key: session.key });
  expect(await claims.preview(randomUUID(), session.key)).toEqual({});
  await session.resolveCreate({ abandon: true });
});
