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
])('completion after "paysession %s" offers keys: %s', (line, isOffered) => {
  expect(wantsKey(createProgram(), line.split(' '))).toBe(isOffered);
});
