import { expect, test } from '@jest/globals';
import { listQuery, queryText } from '../../../console/sessions/session-query';

const read = (text: string) => listQuery(new URLSearchParams(text), 'America/Toronto');

test('the list of sessions is narrowed to a customer by metadata, and its address names the customer', () => {
  const query = read('customer=cus_42&account=west');
  expect(query.filter).toEqual({ metadata: { customer: 'cus_42' }, account: 'west' });
  expect(queryText(query)).toBe('account=west&customer=cus_42');
});

test('a customer that no list can find is a mistake, and no other field narrows the list', () => {
  const { mistakes, filter } = read("customer=O'Hara&account=west");
  expect([mistakes, filter]).toEqual([['customer'], {}]);
});
