import { describe, expect, test } from '@jest/globals';
import { WorkflowNotFoundError } from '@temporalio/client';
import { PaysessionError } from '../../../src';
import type { LedgerFact } from '../../../src/protocol/ledger/facts';
import { eft } from '../../support/requests';
import {
  callOrRead,
  nothingToDo,
  resultOf,
  whole,
  type ReadableLedger,
} from '../../../src/sessions/from-ledger';

const at = '2026-03-01T12:00:00.000Z';
const claimed: LedgerFact = {
  kind: 'claimed',
  at,
  fingerprint: 'same',
  firstRunId: 'run-1',
  account: 'default',
  sessionKind: 'EFT',
  direction: 'DEBIT',
  currency: 'CAD',
  request: eft(),
};
const opened: LedgerFact = { kind: 'opened', at, sessionId: 'session-1', how: 'create' };
const ended = { kind: 'ended', at, firstRunId: 'run-1', paid: false, leftNothing: false } as const;

const ledgerOf = (...facts: readonly LedgerFact[]): ReadableLedger => ({
  entriesOf: (key) =>
    Promise.resolve(
      key === 'order-1'
        ? facts.map((fact, index) => ({ number: index + 1, claim: 1, recordedAt: at, fact }))
        : [],
    ),
});
const unavailableLedger: ReadableLedger = {
  entriesOf: () => Promise.reject(new PaysessionError('LEDGER_UNAVAILABLE', 'away')),
};
const notFound = (): Promise<never> =>
  Promise.reject(new WorkflowNotFoundError('not found', 'payment-session/order-1', undefined));
const place = (ledger?: ReadableLedger, key = 'order-1') => ({ key, ledger });

describe('a session that the Temporal server does not know', () => {
  test('is not found without a ledger, and the message says that a ledger may know it', async () => {
    await expect(callOrRead(place(), notFound, whole)).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
      message: expect.stringContaining('a ledger still knows them'),
    });
  });

  test('is not found if the ledger does not know the session', async () => {
    const unknown = callOrRead(place(ledgerOf(claimed), 'order-2'), notFound, whole);
    await expect(unknown).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
      key: 'order-2',
      message: expect.stringContaining('Neither the Temporal server nor the ledger'),
    });
  });

  test('is read from the ledger, or fails with LEDGER_UNAVAILABLE while the ledger is unavailable', async () => {
    const abandoned = ledgerOf(claimed, { ...ended, failure: 'CREATE_ABANDONED' });
    const { state } = await callOrRead(place(abandoned), notFound, whole);
    expect(state).toMatchObject({ phase: 'ended', failure: { code: 'CREATE_ABANDONED' } });
    await expect(callOrRead(place(abandoned), notFound, resultOf)).rejects.toMatchObject({
      name: 'SessionFailedError',
      code: 'CREATE_ABANDONED',
      state,
    });
    await expect(callOrRead(place(unavailableLedger), notFound, whole)).rejects.toMatchObject({
      code: 'LEDGER_UNAVAILABLE',
    });
  });

  test('accepts no actions, even if the ledger has its record', async () => {
    await expect(callOrRead(place(ledgerOf(claimed)), notFound, nothingToDo)).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
      message: expect.stringContaining('the ledger has its record'),
    });
  });

  test('fails with SESSION_TERMINATED and its last state if the ledger has no end of the session', async () => {
    await expect(callOrRead(place(ledgerOf(claimed, opened)), notFound, whole)).rejects.toMatchObject({
      name: 'SessionFailedError',
      code: 'SESSION_TERMINATED',
      message: expect.stringContaining('Start it again with the same request'),
      state: { phase: 'open', sessionId: 'session-1' },
    });
  });

  test('has a state in the ledger even after its result was erased', async () => {
    const erased: LedgerFact = { kind: 'erased', at, by: 'avery', reason: 'asked' };
    const ledger = ledgerOf(claimed, { ...ended, paid: true, status: 'Completed', code: 'EFT0301' }, erased);
    const { state } = await callOrRead(place(ledger), notFound, whole);
    expect(state).toMatchObject({ phase: 'ended', paid: true, code: 'EFT0301' });
    await expect(callOrRead(place(ledger), notFound, resultOf)).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
      message: expect.stringContaining('was erased'),
    });
  });
});

test('the ledger is not read if the Temporal server knows the session, or is unavailable', async () => {
  expect(await callOrRead(place(unavailableLedger), () => Promise.resolve('known'), String)).toBe('known');
  const refused = (): Promise<never> => Promise.reject(new PaysessionError('TEMPORAL_UNAVAILABLE', 'away'));
  await expect(callOrRead(place(unavailableLedger), refused, whole)).rejects.toMatchObject({
    code: 'TEMPORAL_UNAVAILABLE',
  });
});
