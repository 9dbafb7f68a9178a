import { expect, test } from '@jest/globals';
import { countCreates, expectAsAudited, openMany, payAll } from './support/many-sessions';
import { useCluster, useWorldOn } from './support/use-cluster';

/**
 * A part of the Temporal cluster is lost while 100 sessions are open. Meanwhile, payors pay, callers cancel and other sessions are opened.
 */

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

/** Restarts PostgreSQL. The test pays and cancels sessions while PostgreSQL is down. */
const restart =
  (mode: 'fast' | 'immediate'): Loss =>
  () => {
    const restarted = cluster.restartDatabase({ mode });
    return Promise.resolve(() => restarted);
  };

/** Loses the database for good. Its standby takes over, and then gets a standby of its own. */
const failOver: Loss = () => {
  const over = cluster.failOver();
  return Promise.resolve(() => over);
};

test.each<[string, Loss]>([
  ['a history node is killed', lose('history-1')],
  ['a matching node is killed', lose('matching-1')],
  ['a frontend node is killed', lose('frontend-1')],
  ['PostgreSQL shuts down and starts again', restart('fast')],
  ['PostgreSQL crashes and recovers', restart('immediate')],
  ['the standby of PostgreSQL takes over', failOver],
  ['the next standby of PostgreSQL takes over', failOver],
])(
  'open sessions are paid and cancelled as usual, and none is created twice, while %s',
  async (_, makeLoss) => {
    const createsBefore = countCreates(world);
    const opened = await openMany(world, SESSIONS);
    const third = Math.ceil(SESSIONS / 3);

    const repair = await makeLoss();
    payAll(world, opened.slice(0, third));
    const cancelled = opened.slice(third, 2 * third).map(({ session }) => session.cancelAndWait());
    const openedMeanwhile = openMany(world, OPENED_MEANWHILE);
    await repair();

    for (const answer of await Promise.all(cancelled)) expect(answer).toMatchObject({ outcome: 'cancelled' });
    const late = [...opened.slice(2 * third), ...(await openedMeanwhile)];
    payAll(world, late);
    await expectAsAudited(world, [...opened, ...late.slice(-OPENED_MEANWHILE)]);
    expect(countCreates(world) - createsBefore).toBe(SESSIONS + OPENED_MEANWHILE);
  },
);
