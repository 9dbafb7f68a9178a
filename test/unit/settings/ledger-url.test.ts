import { describe, expect, test } from '@jest/globals';
import { PaymentLedger } from '../../../ledger';
import { readLedgerSettings } from '../../../src/settings';
import { failuresOf } from '../../support/settings/failures';

const read = (url: string) => readLedgerSettings({ PAYSESSION_LEDGER_URL: url }).url;
const wrong = (url: string): string => JSON.stringify(failuresOf(() => read(url)));

describe('the ledger’s URL', () => {
  test.each([
    'postgresql://me:secret@db.example/paysession',
    'postgres://me:secret@db.example:5433/paysession?sslmode=verify-full',
    'postgresql://me:sec,ret@db.example/paysession',
    'postgresql://me:sec%40,ret@[2001:db8::1]:5432/paysession',
    'postgresql:///paysession?host=/run/postgresql',
    'postgresql://me@db.example/paysession?target_session_attrs=any&connect_timeout=5',
    'postgresql://me@db.example/paysession?channel_binding=require&application_name=a,b',
  ])('may be %s', (url) => {
    expect(read(url)).toBe(url);
  });

  test.each([
    'postgresql://me:secret@one.example,two.example/paysession',
    'postgresql://me:secret@one.example:5432,two.example:5433/paysession?target_session_attrs=read-write',
    'postgresql://one.example,two.example/paysession',
    'postgresql://me:sec@ret@one.example,two.example/paysession',
    'postgresql://[2001:db8::1],[2001:db8::2]:5433/paysession',
    'postgresql:///paysession?host=one.example,two.example',
    'postgresql://me:secret@one.example/paysession?port=5432,5433',
  ])('is refused if it has several hosts, and the error does not contain the password: %s', (url) => {
    expect(wrong(url)).toContain('names several hosts, which is not supported');
    expect(wrong(url)).not.toMatch(/secret|one\.example/);
  });

  test.each([
    ['target_session_attrs', 'read-write'],
    ['load_balance_hosts', 'random'],
    ['hostaddr', '10.0.0.1'],
    ['service', 'ledger'],
    ['passfile', '/etc/pgpass'],
  ])('with the unsupported parameter %s=%s is refused, and the error names the parameter', (name, value) => {
    expect(wrong(`postgresql://me:secret@db.example/paysession?${name}=${value}`)).toContain(
      `has the parameter ${name}, which is not supported`,
    );
  });

  test.each(['0', '301', '1.5', '2s', ''])(
    'with connect_timeout=%s is refused, and the error says which values are valid',
    (value) => {
      expect(wrong(`postgresql://me:secret@db.example/paysession?connect_timeout=${value}`)).toContain(
        'has a connect_timeout that is not a whole number of seconds from 1 to 300',
      );
    },
  );

  test.each([
    'mysql://me@db.example/paysession',
    'db.example/paysession',
    'postgresql://db.example',
    'host=db dbname=x',
  ])('may not be %s', (url) => {
    expect(wrong(url)).toContain('must be a URL such as postgresql://USER:PASSWORD@HOST:5432/DATABASE');
  });
});

test('a PaymentLedger with an unsupported URL cannot be constructed, and the error says why', () => {
  const url = 'postgresql://me:secret@one.example,two.example/paysession';
  expect(failuresOf(() => new PaymentLedger({ url }))).toEqual([
    expect.stringContaining('the ledger’s URL names several hosts, which is not supported'),
  ]);
});

test.each(['nonsense', '+05:00'])('the time zone of a PaymentLedger may not be %s', (timeZone) => {
  const url = 'postgresql://me:secret@db.example/paysession';
  expect(failuresOf(() => new PaymentLedger({ url, timeZone }))).toEqual([
    'timeZone must be a name of the IANA time zone database, such as America/Toronto',
  ]);
});

test.each([Infinity, NaN, 2.5, 0, -1, 61])(
  'the option lateAfterDays of a PaymentLedger may not be %s',
  (lateAfterDays) => {
    const url = 'postgresql://me@db.example/paysession';
    expect(failuresOf(() => new PaymentLedger({ url, lateAfterDays }))).toEqual([
      'lateAfterDays must be a whole number from 1 to 60',
    ]);
  },
);
