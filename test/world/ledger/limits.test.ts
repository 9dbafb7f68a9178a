import { expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { exportedLine } from '../../../ledger/sessions/exported-line';
import { eventsOf } from '../../../ledger/webhooks/message';
import type { LedgerFact, LedgerSession } from '../../../ledger';
import type { SessionResult } from '../../../src';
import { MAX_KEY_LENGTH } from '../../../src/protocol/input';
import { MAX_DECIDER_LENGTH, MAX_REASON_LENGTH } from '../../../src/protocol/decisions';
import { geft } from '../../support/requests';
import { CLAIM } from '../../support/ledger/claim';
import { openLedger, testLedger } from '../../support/ledger/test-ledger';

const at = '2026-03-01T12:00:00.000Z';
const emoji = (count: number) => '😀'.repeat(count);

/** An incompressible text of 64 KiB, the same in every run. */
const LARGE = createHash('shake256', { outputLength: 48 * 1024 })
  .update('large')
  .digest('base64');

test('the ledger can record, list, find, export, send and verify a session whose values all have their maximum length', async () => {
  const { ledger, url } = await testLedger();
  const key = emoji(MAX_KEY_LENGTH);
  const referenceId = emoji(100);
  const { payor, ...rest } = geft(referenceId);
  const names = { firstName: emoji(100), middleName: emoji(100), lastName: emoji(100), occupation: LARGE };
  const request = { ...rest, payor: { ...payor, ...names } };
  const claim = { ...CLAIM, key, request, referenceId };
  const decision = {
    decision: 'refresh',
    by: emoji(MAX_DECIDER_LENGTH),
    reason: emoji(MAX_REASON_LENGTH),
    result: 'applied',
    at,
  } as const;
  const result: SessionResult = {
    ...{ key, kind: 'GEFT', referenceId, paid: false, status: 'Failed', code: 'EFT0404' },
    ...{ sessionId: 'session-1', stateHistory: [], decisions: [decision] },
    anomalies: [{ kind: 'unknownStatus', at, detail: LARGE }],
  };
  const ended = { kind: 'ended', at, firstRunId: 'run-1', paid: false, leftNothing: false } as const;
  const facts: readonly LedgerFact[] = [
    { kind: 'opened', at, sessionId: 'session-1', how: 'create' },
    { kind: 'decision', number: 1, ...decision },
    { kind: 'anomaly', number: 1, at, anomaly: 'unknownStatus', detail: LARGE },
    { ...ended, status: 'Failed', code: 'EFT0404', result },
  ];
  expect(await ledger.claim(claim)).toEqual({ outcome: 'claimed' });
  expect(await ledger.record(claim, facts)).toBe(facts.length);
  const entries = await openLedger(url).entriesOf(key);
  const read = entries.map(({ fact }) => fact);
  expect(read).toEqual([expect.objectContaining({ kind: 'claimed', request }), ...facts]);
  expect(await ledger.claim({ ...claim, firstRunId: 'run-2' })).toEqual({ outcome: 'ended', result });
  const listed: LedgerSession[] = [];
  for await (const session of ledger.payments.all({ referenceId })) listed.push(session);
  expect(listed).toMatchObject([{ key, referenceId, status: 'Failed' }]);
  const csv = listed.map((session) => exportedLine(session, 'csv')).join('');
  expect(csv.startsWith(`${key},GEFT,`)).toBe(true);
  const { payments } = await ledger.payments.page({ text: key }, { size: 2 });
  expect(payments).toMatchObject([{ key, referenceId }]);
  const [event] = eventsOf({ key, environment: 'default', entries, isPersonal: true });
  expect(event?.data).toMatchObject({ key, request });
  expect(await ledger.verify()).toMatchObject({ waiting: 5 });
  expect(await ledger.verify()).not.toHaveProperty('fault');
});

test('the ledger refuses a value that is too large for PostgreSQL with a clear error, and records no entry of that call', async () => {
  const { ledger } = await testLedger();
  await ledger.claim(CLAIM);
  const facts: readonly LedgerFact[] = [
    { kind: 'state', at, number: 1, status: 'Initiated', source: 'create' },
    // PostgreSQL indexes the session id. A row of the index has at most 2,704 bytes.
    { kind: 'opened', at, sessionId: LARGE, how: 'create' },
  ];
  const refused = ledger.record(CLAIM, facts);
  await expect(refused).rejects.toMatchObject({
    code: 'LEDGER_REFUSED',
    message: expect.stringMatching(/too large .*Nothing of the call was recorded/),
  });
  await expect(refused).rejects.not.toThrow(LARGE.slice(0, 40));
  expect(await ledger.entriesOf('order-1')).toHaveLength(1);
});
