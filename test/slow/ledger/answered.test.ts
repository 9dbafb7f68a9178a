import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { LedgerFact } from '../../../ledger';
import { endsToday } from '../../../console/overview/ends-today';
import { countSessions, fingerprintOf, sessionsPage } from '../../../src/sessions';
import type { SessionFilter } from '../../../src';
import { CLAIM } from '../../support/ledger/claim';
import { ledgerWorld, runAgain, type LedgerWorld } from '../../support/ledger/ledger-world';
import { completing, eft } from '../../support/requests';
import { resetRun } from '../../support/reset-run';
import { until } from '../../support/wait';

// Temporal has dropped a key’s workflow. The same request starts again: the ledger knows the earlier outcome, and the new
// workflow ends at once with it.

/** Returns how many runs with this reference Temporal’s index counts as sessions, by outcome. Waits until `runs` runs have ended. */
async function countsOf({ client }: LedgerWorld, referenceId: string, runs: number) {
  const count = (filter: SessionFilter) => countSessions(client, { referenceId, ...filter });
  await until(
    () => count({ running: false }),
    (ended) => ended === runs,
  );
  const { groups, neverCreated } = await endsToday(
    { countNow: (filter) => count(filter) },
    new Date(Date.now() - 3_600_000),
  );
  return {
    answered: await count({ answered: true }),
    others: await count({ answered: false }),
    endedToday: groups.reduce((sum, group) => sum + group.count, neverCreated),
  };
}

test('a start that the ledger answers with an earlier result is not counted as a second ended session', async () => {
  const world = await ledgerWorld();
  const referenceId = `answered-${randomUUID().slice(0, 13)}`;
  const input = world.input({ ...completing(), referenceId });
  const { session, sessionId } = await world.sessions.open(input);
  world.payor(sessionId).completes();
  const result = await session.result();
  expect(await countsOf(world, referenceId, 1)).toEqual({ answered: 0, others: 1, endedToday: 1 });

  await runAgain(world, input);
  expect(await session.result()).toEqual(result);
  expect(await countsOf(world, referenceId, 2)).toEqual({ answered: 1, others: 1, endedToday: 1 });
  const { sessions } = await sessionsPage(world.client, { referenceId, running: false }, { size: 10 });
  expect(sessions).toMatchObject([{ answered: true, outcome: 'ended', paid: true, status: 'Completed' }, {}]);
  expect(sessions[1]).not.toHaveProperty('answered');
  expect(world.creates()).toBe(1);
  // The ledger has only one payment.
  expect(await world.ledger.payments.totals({ referenceId })).toMatchObject({ count: 1 });
});

test('a start that the ledger answers with an earlier failure is not counted as a second ended session', async () => {
  const world = await ledgerWorld();
  const referenceId = `answered-${randomUUID().slice(0, 13)}`;
  const input = world.input(eft(referenceId));
  const failed: LedgerFact = {
    kind: 'ended',
    at: CLAIM.at,
    firstRunId: CLAIM.firstRunId,
    paid: false,
    failure: 'CREATE_ABANDONED',
    leftNothing: false,
  };
  const { key, request } = input;
  await world.ledger.recordEnded({ ...CLAIM, key, request, fingerprint: fingerprintOf(input) }, [failed]);
  const session = await world.sessions.start(input);
  await expect(session.result()).rejects.toMatchObject({ code: 'CREATE_ABANDONED' });
  expect(await countsOf(world, referenceId, 1)).toEqual({ answered: 1, others: 0, endedToday: 0 });
  const { sessions } = await sessionsPage(world.client, { referenceId, running: false }, { size: 10 });
  expect(sessions).toMatchObject([{ answered: true, outcome: 'failed', failure: 'CREATE_ABANDONED' }]);
});

test('a start that the ledger has answered ends with the same result after a reset', async () => {
  const world = await ledgerWorld();
  const input = world.input(completing());
  const { session } = await world.sessions.open(input);
  const result = await session.result();
  await runAgain(world, input);
  expect(await session.result()).toEqual(result);
  await resetRun(world.client, session.workflowId, 0);
  expect(await session.result()).toEqual(result);
  expect(world.creates()).toBe(1);
});
