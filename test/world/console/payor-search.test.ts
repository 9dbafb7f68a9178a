import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { PaymentSessions } from '../../../src';
import { PaysessionError } from '../../../src/errors';
import { CLAIM } from '../../support/ledger/claim';
import { ledgerWorld } from '../../support/ledger/ledger-world';
import { testLedger } from '../../support/ledger/test-ledger';
import { eft, leftOpen, PAYOR } from '../../support/requests';
import { consoleOf, hiddenIn, look, pathOf, send } from '../../support/console/session-page';

const NAMED = {
  ...eft(leftOpen().referenceId ?? ''),
  payor: { ...PAYOR, firstName: 'Zoë', lastName: 'Brûlé Nguyen' },
};
const REASON = 'the payor has no reference at hand';

test('an operator finds payments by a part of the payor’s name; the search is recorded, and the name is not in URLs or logs', async () => {
  const world = await ledgerWorld();
  const { client, sessions, taskQueue, ledger } = world;
  const { app, lines } = consoleOf({ client, sessions, taskQueue, ledger });
  const { session: other } = await world.sessions.open(world.input(leftOpen()));
  const { session } = await world.sessions.open(world.input(NAMED));
  // A session that Temporal has dropped. Only the ledger has its record.
  const dropped = { key: `dropped-${randomUUID()}` };
  await ledger.claim({ ...CLAIM, key: dropped.key, request: NAMED });
  const list = await look(app, '/payments?account=default');
  expect(list.body).toContain('href="/payments/payor?account=default"');
  const form = hiddenIn((await look(app, '/payments/payor?account=default')).body);
  const find = (name: string, reason = REASON) =>
    send(app, '/payments/payor?account=default', { ...form, name, reason });
  const { statusCode, text, body } = await find('ZOE  brule');
  expect(statusCode).toBe(200);
  expect(text).toContain('2 of the 3 payments that were searched');
  for (const { key } of [session, dropped]) expect(body).toContain(`href="/sessions/${key}"`);
  expect(body).not.toContain(other.key);
  expect((await session.state()).decisions).toMatchObject([
    { decision: 'reveal', by: 'Robin', reason: REASON },
  ]);
  expect((await other.state()).decisions).toEqual([]);
  expect(lines.filter((line) => line.includes('findPayor')).map((line) => line.split(' ').slice(-2))).toEqual(
    expect.arrayContaining([
      [session.key, 'recorded'],
      [dropped.key, 'logged'],
    ]),
  );
  expect(lines.join(' ')).not.toMatch(/brul|zo[eë]/i);
  expect(lines.at(-1)).toMatch(/ Robin operator searchPayors - found 2 of 3 account=default$/);
  const nobody = (await find('nobody of that name')).text;
  expect(nobody).toContain('No payor of that name');
  expect(nobody).not.toContain('Some payments of the list were not searched');
  expect(lines.at(-1)).toMatch(/ Robin operator searchPayors - found 0 of 3 account=default$/);
  const searched = lines.length;
  const missing = await find('Z.  e-', ' ');
  expect(missing.statusCode).toBe(400);
  expect(missing.text).toContain('Enter at least three letters');
  expect(lines).toHaveLength(searched);
  expect(missing.text).toContain('Give a reason');
  await Promise.all([other, session].map((one) => one.cancelAndWait()));
});

test('if a payment with the name is found but cannot be shown, the page says so, and not that the name is unknown', async () => {
  const { ledger } = await testLedger();
  await ledger.claim({ ...CLAIM, request: NAMED });
  const noWorker = () => Promise.reject(new PaysessionError('WORKER_UNAVAILABLE', 'no worker answers'));
  const sessions = { get: () => ({ recordReveal: noWorker }) } as unknown as PaymentSessions;
  const { app } = consoleOf({ ...({} as Parameters<typeof consoleOf>[0]), sessions, ledger });
  const form = hiddenIn((await look(app, '/payments/payor')).body);
  const { text, body } = await send(app, '/payments/payor', { ...form, name: 'brule', reason: REASON });
  expect(text).toContain('Found but not shown, because your view could not be recorded: 1.');
  expect(text).not.toContain('No payor of that name');
  expect(body).not.toContain(`href="/sessions/${CLAIM.key}"`);
});

test('the page of a session that Temporal has dropped shows account, reference and start from the ledger, and says whether its request was erased', async () => {
  const { client, sessions, taskQueue, ledger } = await ledgerWorld();
  const { app } = consoleOf({ client, sessions, taskQueue, ledger, timeZone: 'America/Toronto' });
  const key = `dropped-${randomUUID()}`;
  await ledger.claim({ ...CLAIM, key, account: 'west', referenceId: 'INV-7', request: NAMED });
  const { text, body } = await look(app, pathOf(key));
  expect(text).toContain('Reference INV-7 Account west');
  expect(text).toContain('Started 2026-03-01 07:00:00 EST');
  expect(body).not.toMatch(/brûlé/i);
  await ledger.erase(key, { by: 'Sam', reason: 'asked for' });
  const erased = (await look(app, pathOf(key))).text;
  expect(erased).toContain('Reference INV-7 Account west');
  expect(erased).toContain('it was erased with the personal data');
});

test('a viewer cannot search for payments by the payor’s name', async () => {
  const world = await ledgerWorld();
  const { client, sessions, taskQueue, ledger } = world;
  const { app } = consoleOf({ client, sessions, taskQueue, ledger }, 'viewer');
  await ledger.claim({ ...CLAIM, request: NAMED });
  expect((await look(app, '/payments')).body).not.toContain('/payments/payor');
  expect((await look(app, '/payments/payor')).statusCode).toBe(403);
  expect((await send(app, '/payments/payor', { name: 'Zoë', reason: REASON })).statusCode).toBe(403);
});
