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

/** Returns a client whose index is behind: it lists nothing that is started from now on, until `catchUp` is called. */
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

/** Returns the claims of a second worker, which has created nothing. */
const claimsOf = (client: Client, indexedWithinMs?: number) =>
  new TemporalClaims({
    client,
    sessions: world.sessions,
    taskQueue: world.taskQueue,
    ...(indexedWithinMs !== undefined && { indexedWithinMs }),
  });

const claimOf = (sessionId: string) => world.client.workflow.getHandle(claimWorkflowId(sessionId));

test('a session that another key has just created is claimed neither while Temporal’s index is behind, nor once it has caught up', async () => {
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

test('a session is not claimed while Temporal’s index stays behind, but is for the same key once the index has caught up', async () => {
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

test('a session that another key is known to follow is not claimed', async () => {
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

test('a session that no other key can follow is claimed, with its id in upper or lower case', async () => {
  const { session, lost } = await park(world);
  const claims = claimsOf(world.client);
  expect(await claims.claim(lost.toUpperCase(), session.key)).toEqual({});
  expect((await claimOf(lost).describe()).memo).toEqual({ key: session.key });
  expect(await claims.preview(randomUUID(), session.key)).toEqual({});
  await session.resolveCreate({ abandon: true });
});
