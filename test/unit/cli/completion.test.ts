import { expect, test } from '@jest/globals';
import { wantsKey } from '../../../cli/commands/completion';
import { createProgram } from '../../../cli/program';

test.each([
  ['state ', true],
  ['state order-1042 ', false],
  ['state --', false],
  ['cancel --reason x ', true],
  ['cancel --reason ', false],
  ['cancel order-1042 --reason x ', false],
  ['cancel --no-wait ', true],
  ['export order-1042 --seed x ', true],
  ['start ', false],
  ['ledger show ', true],
  ['ledger show order-1042 ', false],
  ['ledger ', false],
  ['webhooks resend --endpoint shop ', true],
  ['webhooks resend --endpoint ', false],
])('completion after "paysession %s" offers keys: %s', (line, isOffered) => {
  expect(wantsKey(createProgram(), line.split(' '))).toBe(isOffered);
});
