import { expect, test } from '@jest/globals';
import { listQuery, queryText } from '../../../console/sessions/session-query';

const read = (text: string) => listQuery(new URLSearchParams(text), 'America/Toronto');

test('the list of sessions filters by the metadata "customer", and the list’s address contains the customer', () => {
  const query = read('customer=cus_42&account=west');
  expect(query.filter).toEqual({ metadata: { customer: 'cus_42' }, account: 'west' });
  expect(queryText(query)).toBe('account=west&customer=cus_42');
});

test('a customer that cannot be searched for is reported as a mistake, and other fields do not filter', () => {
  const { mistakes, filter } = read("customer=O'Hara&account=west");
  expect([mistakes, filter]).toEqual([['customer'], {}]);
});
