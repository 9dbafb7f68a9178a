import { expect, test } from '@jest/globals';
import { toStored } from '../../../ledger/stored-fact';
import type { LedgerFact } from '../../../src/protocol/ledger/facts';

const END: LedgerFact = {
  kind: 'ended',
  at: '2026-03-01T12:00:00.000Z',
  firstRunId: 'one',
  paid: false,
  failure: 'CREATE_DEADLINE_PASSED',
  leftNothing: true,
};

test('a second end with the failure of the first becomes another entry of the ledger if a session may exist now', () => {
  expect(toStored({ ...END, leftNothing: false }).id).not.toBe(toStored(END).id);
  expect(toStored({ ...END }).id).toBe(toStored(END).id);
});
