import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { LedgerFact } from '../../../ledger';
import { readsPayment } from '../../support/business-workflows';
import { startBusinessWorker } from '../../support/worlds/business-worker';
import { createCallerNamespace } from '../../support/worlds/nexus-world';
import { act, consoleOf, look, pathOf } from '../../support/console/session-page';
import { ledgerWorld } from '../../support/ledger/ledger-world';
import { recordPaid } from '../../support/ledger/recorded';
import { until } from '../../support/wait';
import { closesLater } from '../../support/ledger/test-ledger';

const SETTLED: LedgerFact = { kind: 'settled', at: '2026-03-02T00:00:00.000Z', amount: 25 };
const RETURNED: LedgerFact = { kind: 'returned', at: '2026-06-01T00:00:00.000Z', amount: 25, code: 'NSF' };

test('if Temporal has dropped a session, workflows, Nexus callers and the console read it from the worker’s ledger', async () => {
  const world = await ledgerWorld();
  const key = `forgotten-${randomUUID()}`;
  const { stateHistory: _states, ...known } = await recordPaid(world.ledger, key);
  const state = { phase: 'ended', ...known };

  const taskQueue = `orders-${randomUUID()}`;
  const worker = await startBusinessWorker(world.temporalAddress, taskQueue);
  closesLater(() => worker.stop());
  const { taskQueue: payments } = world;
  const args: Parameters<typeof readsPayment> = [key, { taskQueue: payments }];
  const options = { taskQueue, workflowId: randomUUID(), args };
  expect(await world.client.workflow.execute(readsPayment, options)).toEqual(state);

  const { app } = consoleOf(world);
  const { text, body } = await look(app, pathOf(key));
  expect(text).toContain('The Temporal server has dropped this session. This page shows the ledger’s record');
  expect(text).toMatch(/Paid .*Completed EFT0301/);
  expect(text).toContain('Amount $25.00 CAD Direction Money in Kind EFT');
  expect(text).toContain('asked by phone');
  expect(text).toContain('payor.email');
  expect(text).not.toMatch(/Avery|Tremblay|example\.com/);
  expect(body).not.toMatch(/\/(adopt|retry|abandon|cancel|refresh|reveal)"/);
  expect((await look(app, pathOf(key), 'fr')).text).toContain('Le serveur Temporal a oublié cette session');
  expect((await look(app, pathOf('no-such-key'))).statusCode).toBe(404);

  expect(text).toContain('this page shows it once a reconciliation file reports it');
  expect(text).not.toContain('Arrived');

  await world.ledger.record({ key, firstRunId: 'run-1' }, [SETTLED, RETURNED]);
  const returned = (await look(app, pathOf(key))).text;
  expect(returned).toContain('Money returned Completed EFT0301');
  expect(returned).toContain('Arrived $25.00 CAD, 2026-03-02 Came back $25.00 CAD, 2026-06-01 NSF');
  expect(returned).toContain('Collect the amount once more');
  expect(returned).not.toContain('Nothing to do');
  expect((await look(app, pathOf(key), 'fr')).text).toContain('À régler avec le payeur');

  const waiting = await until(
    () => look(app, '/'),
    ({ text }) => text.includes('1 payment came back'),
  );
  expect(waiting.text).toContain('NSF – Not sufficient funds');
  expect((await look(app, '/payments?money=waiting')).text).toContain(key);
  const handled = await act(app, pathOf(key, '/handle'), { reason: 'paid by card' });
  expect(handled.text).toContain('Recorded. This return is no longer waiting for a decision.');
  expect(handled.text).toMatch(/Return handled .* \(Robin\) paid by card/);
  expect(handled.text).toContain('Nothing to do');
  expect(handled.body).not.toContain('/handle"');
  expect((await world.ledger.entriesOf(key)).at(-1)?.fact).toMatchObject({
    kind: 'handled',
    by: 'Robin',
    reason: 'paid by card',
  });
  expect((await look(app, '/payments?money=waiting')).text).not.toContain(key);

  const callers = await createCallerNamespace(world, undefined);
  closesLater(() => callers.close());
  expect(await (await callers.start('readsSession', { key })).result()).toEqual(state);
});
