import { expect, test } from '@jest/globals';
import { countCreates, expectAsAudited, openMany, payAll } from './support/many-sessions';
import { useCluster, useWorldOn } from './support/use-cluster';

/** Losses that open sessions survive, and that callers notice only by waiting. */

const SESSIONS = 100;
const OPENED_MEANWHILE = 10;

const cluster = useCluster({ standby: true });
const world = useWorldOn(cluster);

/** Causes the loss. Returns the function that repairs it. */
type Loss = () => Promise<() => Promise<void>>;

const lose =
  (node: string): Loss =>
  async () => {
    await cluster.killNode(node);
    return () => cluster.startNode(node);
  };

/** It is gone only while it restarts: sessions are paid and cancelled in that time. */
const restart =
  (mode: 'fast' | 'immediate'): Loss =>
  () => {
    const restarted = cluster.restartDatabase({ mode });
    return Promise.resolve(() => restarted);
  };

/** The database is lost for good. Its standby takes over, and becomes the source of another standby. */
const failOver: Loss = () => {
  const over = cluster.failOver();
  return Promise.resolve(() => over);
};

test.each<[string, Loss]>([
  ['a history node', lose('history-1')],
  ['a matching node', lose('matching-1')],
  ['a frontend node', lose('frontend-1')],
  ['PostgreSQL, which shuts down and starts again', restart('fast')],
  ['PostgreSQL, which crashes and recovers', restart('immediate')],
  ['PostgreSQL, whose standby takes over', failOver],
  ['PostgreSQL, whose next standby takes over', failOver],
])('open sessions outlast the loss of %s', async (_, makeLoss) => {
  const createsBefore = countCreates(world);
  const opened = await openMany(world, SESSIONS);
  const third = Math.ceil(SESSIONS / 3);

  const makeGood = await makeLoss();
  payAll(world, opened.slice(0, third));
  const cancelled = opened.slice(third, 2 * third).map(({ session }) => session.cancelAndWait());
  const openedMeanwhile = openMany(world, OPENED_MEANWHILE);
  await makeGood();

  for (const answer of await Promise.all(cancelled)) expect(answer).toMatchObject({ outcome: 'cancelled' });
  const late = [...opened.slice(2 * third), ...(await openedMeanwhile)];
  payAll(world, late);
  await expectAsAudited(world, [...opened, ...late.slice(-OPENED_MEANWHILE)]);
  expect(countCreates(world) - createsBefore).toBe(SESSIONS + OPENED_MEANWHILE);
});
