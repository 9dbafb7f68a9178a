import { expect, test } from '@jest/globals';
import {
  addressOf,
  addressOfCsv,
  addressOfNext,
  filterOf,
  paymentQuery,
} from '../../../console/payments/payment-query';

// The filters of the console's list of payments, as they are in the page's address.
const read = (text: string, timeZone = 'America/Toronto') =>
  paymentQuery(new URLSearchParams(text), timeZone);

test('the days of a filter are days of the time zone, and the last day is included', () => {
  expect(read('from=2026-03-01&to=2026-03-08&endedFrom=2026-07-01').filter).toEqual({
    claimedFrom: new Date('2026-03-01T05:00:00Z'),
    // On that day, daylight saving time began.
    claimedBefore: new Date('2026-03-09T04:00:00Z'),
    endedFrom: new Date('2026-07-01T04:00:00Z'),
  });
});

test('a direction other than DEBIT or CREDIT is reported as a mistake', () => {
  expect(read('direction=CREDIT').filter).toEqual({ direction: 'CREDIT' });
  expect(read('direction=credit').mistakes).toEqual(['direction']);
});

test('a customer filters by the metadata “customer”, together with other metadata', () => {
  expect(read('customer=cus_42&metadata=order=7=7').filter).toEqual({
    metadata: { customer: 'cus_42', order: '7=7' },
  });
  expect(read("customer=O'Hara&metadata=order").mistakes).toEqual(['customer', 'metadata']);
  expect(read('metadata==7').mistakes).toEqual(['metadata']);
});

test('the log does not repeat texts that may name a person', () => {
  expect(filterOf(read('q=avery&customer=avery&metadata=name=avery&kind=EFT'))).toEqual({
    q: '(set)',
    customer: '(set)',
    metadata: '(set)',
    kind: 'EFT',
  });
});

test('an address contains the filter and the next page’s beginning, and leaves out empty and unknown fields', () => {
  const query = read('q=a%20b&sort=-amount&account=&odd=1');
  const next = { at: '25.00', claim: 2, key: 'order ~ 1/2' };
  const address = addressOfNext(query, next);
  expect(read(address.split('?')[1] ?? '').after).toEqual(next);
  expect(addressOf(read(address.split('?')[1] ?? ''))).toBe('/payments?q=a+b&sort=-amount');
  expect(addressOfCsv(query)).toBe('/payments.csv?q=a+b&sort=-amount');
});

test('a page can begin after the longest possible key, and after a key that ends with a space', () => {
  for (const key of ['💶'.repeat(200), 'order ']) {
    const next = { at: '2026-02-28 10:00:00.123456+00', claim: 1, key };
    expect(read(addressOfNext(read(''), next).split('?')[1] ?? '').after).toEqual(next);
  }
});

test('if a field is unreadable, the field is reported, and the other fields do not filter', () => {
  const { mistakes, filter, after } = read('money=gold&account=west&to=2026-02-30&sort=-key&page=x');
  expect(mistakes).toEqual(['money', 'to', 'sort']);
  expect([filter, after]).toEqual([{}, undefined]);
  expect(read('sort=ended&page=-infinity~3~a').after).toEqual({ at: '-infinity', claim: 3, key: 'a' });
  expect(read('sort=claimed&page=-infinity~3~a').mistakes).toEqual(['page']);
});

test.each(['2026-02-30', '2026-09-31', '0000-01-01', '2026-13-01'])(
  'the invalid day %s is reported as a mistake in a filter and in the beginning of a page',
  (day) => {
    for (const field of ['from', 'to', 'endedFrom', 'endedTo'] as const)
      expect(read(`${field}=${day}`).mistakes).toEqual([field]);
    for (const sort of ['claimed', 'ended'])
      expect(read(`sort=${sort}&page=${day} 10:00:00%2B00~1~a`).mistakes).toEqual(['page']);
    expect(read('page=2026-02-28 10:00:00.123456%2B00~1~a').after?.key).toBe('a');
  },
);

test.each([
  '2026-02-28 10:00:00+20',
  '2026-02-28 10:00:00-15:59:59',
  '2026-02-28 24:00:00+00',
  '2026-02-28 10:00:00.0000000001+00',
])('%s, which is not a time of PostgreSQL, is reported as a mistake in the beginning of a page', (at) => {
  for (const sort of ['claimed', 'ended'])
    expect(read(`sort=${sort}&page=${encodeURIComponent(at)}~1~a`).mistakes).toEqual(['page']);
});

test.each([
  ['0001-01-01', 'Asia/Tokyo'],
  ['9999-12-31', 'America/Toronto'],
])(
  '%s in %s is reported as a mistake where its first or last moment is in the year 0 or 10000',
  (day, zone) => {
    for (const field of ['from', 'to', 'endedFrom', 'endedTo'] as const) {
      const { filter, mistakes } = read(`${field}=${day}`, zone);
      for (const at of Object.values(filter)) expect((at as Date).toISOString()).toMatch(/^(?!0000)\d{4}-/);
      expect(mistakes.length + Object.keys(filter).length).toBe(1);
    }
    const edge = day === '0001-01-01' ? 'from' : 'to';
    expect(read(`${edge}=${day}`, zone).mistakes).toEqual([edge]);
  },
);
