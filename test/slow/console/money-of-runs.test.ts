import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { LedgerFact } from '../../../ledger';
import { WORKFLOW_ID_PREFIX } from '../../../src/protocol/names';
import type { PaymentSessionInput } from '../../../src';
import { Reading } from '../../../console/reading/reading';
import { sessionTable } from '../../../console/sessions/session-table';
import { sessionsPage } from '../../../src/sessions';
import { consoleOf, look, OPERATOR, pathOf, plain } from '../../support/console/session-page';
import { ledgerWorld, runAgain, type LedgerWorld } from '../../support/ledger/ledger-world';
import { anotherPayment, eft } from '../../support/requests';
import { resetRun } from '../../support/reset-run';
import { until } from '../../support/wait';

const RETURNED: LedgerFact = { kind: 'returned', at: '2026-06-01T00:00:00.000Z', amount: 25, code: 'NSF' };

// A key can have several workflow runs. In lists, each run is a row. The money of a payment belongs to one of the runs.

/** Completes a session, and records in the ledger that its money has come back. */
async function returnedSession(world: LedgerWorld) {
  const referenceId = `runs-${randomUUID().slice(0, 13)}`;
  const input: PaymentSessionInput = world.input(eft(referenceId));
  const { session, sessionId } = await world.sessions.open(input);
  world.payor(sessionId).completes();
  await session.result();
  const { runId } = await world.client.workflow.getHandle(session.workflowId).describe();
  expect(await world.ledger.record({ key: session.key, firstRunId: runId }, [RETURNED])).toBe(1);
  return { key: session.key, input, referenceId };
}

/** Returns the rows with this reference in the list of sessions, the newest first. Waits until Temporal’s index has all runs. */
async function rowsOf(
  { client, taskQueue, ledger }: LedgerWorld,
  referenceId: string,
  { runs, shown }: { readonly runs: number; readonly shown: RegExp },
): Promise<readonly string[]> {
  const reading = new Reading(client, taskQueue, ledger.payments);
  const read = async () => {
    const { sessions } = await sessionsPage(client, { referenceId, running: false }, { size: 10 });
    const { text } = sessionTable(sessions, OPERATOR, { payments: await reading.paymentsOf(sessions) });
    return text.split('<tr>').slice(2).map(plain);
  };
  const rows = await until(read, (all) => all.length === runs && shown.test(all.join('\n')));
  reading.close();
  return rows;
}

describe('the console', () => {
  test('shows returned money only in the row of the run that was paid', async () => {
    const world = await ledgerWorld();
    const { key, input, referenceId } = await returnedSession(world);
    await runAgain(world, anotherPayment(input));
    await runAgain(world, input);
    const [answered, refused, own] = await rowsOf(world, referenceId, { runs: 3, shown: /NSF/ });
    expect(own).toContain(
      '$25.00 CAD Money returned Completed EFT0301 2026-06-01 NSF – Not sufficient funds',
    );
    expect(refused).toContain('Ended with an error');
    expect(answered).toContain('Paid Completed EFT0301 answered from the ledger');
    for (const row of [answered, refused]) expect(row).not.toMatch(/CAD|NSF|2026-06-01/);

    const found = (await look(consoleOf(world).app, `/sessions?q=${referenceId}`)).text;
    expect(found).toContain('answered from the ledger');
    expect(found).not.toContain('NSF');
    // The page shows the newest run. For that run, the ledger has answered with the earlier run’s session.
    const { app } = consoleOf(world);
    // The page does not wait for a slow ledger, so the test requests the page until it has the money.
    const { text } = await until(
      () => look(app, pathOf(key)),
      (page) => page.text.includes('Came back'),
    );
    expect(text).toContain('Came back $25.00 CAD, 2026-06-01 NSF');
  });

  test('shows no money on the page of a run whose start was refused', async () => {
    const world = await ledgerWorld();
    const { key, input } = await returnedSession(world);
    await runAgain(world, anotherPayment(input));
    const { text } = await look(consoleOf(world).app, pathOf(key));
    expect(text).toContain('SESSION_CONFLICT');
    expect(text).not.toMatch(/NSF|Money returned/);
  });

  test('shows the money of a session that continued as new in another run', async () => {
    const world = await ledgerWorld();
    const { key, referenceId } = await returnedSession(world);
    expect(await resetRun(world.client, `${WORKFLOW_ID_PREFIX}${key}`, -1)).toBe(true);
    const rows = await rowsOf(world, referenceId, { runs: 2, shown: /NSF[^]*NSF/ });
    for (const row of rows) expect(row).toContain('$25.00 CAD Money returned');
    expect((await look(consoleOf(world).app, pathOf(key))).text).toContain(
      'Came back $25.00 CAD, 2026-06-01 NSF',
    );
  });
});
