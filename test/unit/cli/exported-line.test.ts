import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { exportedLine, headOf } from '../../../ledger/sessions/exported-line';
import type { LedgerSession } from '../../../ledger';
import { parseCsv } from '../../support/cli/parse-csv';

const session: LedgerSession = {
  key: 'order-1',
  claim: 1,
  firstRunId: 'run-1',
  kind: 'EFT',
  direction: 'DEBIT',
  account: 'default',
  outcome: 'ended',
  status: 'Completed',
  code: 'EFT0301',
  paid: true,
  amount: 25,
  currency: 'CAD',
  referenceId: 'ref-1',
  claimedAt: '2026-03-01T12:00:00.000Z',
  endedAt: '2026-03-01T13:00:00.000Z',
  money: 'paid',
};

/** Random texts. Half of them are short, with characters that are special in CSV or in a spreadsheet. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc
    .array(fc.constantFrom(...Array.from('=+-@\t\r\n",;\' 1.a＝')), { maxLength: 8 })
    .map((characters) => characters.join('')),
);
const cents = fc.integer({ min: 1, max: 2 ** 46 * 100 });

const csvRowOf = (one: LedgerSession): Readonly<Record<string, string>> => {
  const [head = [], row = [], ...others] = parseCsv(headOf('csv') + exportedLine(one, 'csv'));
  expect(others).toEqual([]);
  expect(row).toHaveLength(head.length);
  return Object.fromEntries(head.map((name, column) => [name, row[column] ?? '']));
};

describe('an exported session in CSV', () => {
  test('is one row with all columns, for any texts', () => {
    fc.assert(
      fc.property(text, text, text, (key, account, referenceId) => {
        const row = csvRowOf({ ...session, key, account, referenceId });
        const isWrittenAs = (cell: string | undefined, given: string) =>
          cell === given || cell === `'${given}`;
        expect([
          isWrittenAs(row['key'], key),
          isWrittenAs(row['account'], account),
          isWrittenAs(row['referenceId'], referenceId),
        ]).toEqual([true, true, true]);
        expect(row).toMatchObject({
          kind: 'EFT',
          paid: 'true',
          amount: '25.00',
          claimedAt: session.claimedAt,
        });
      }),
    );
  });

  test('has no cell that a spreadsheet runs as a formula, and keeps numbers and other texts unchanged', () => {
    fc.assert(
      fc.property(text, (referenceId) => {
        const cell = csvRowOf({ ...session, referenceId })['referenceId'] ?? '';
        expect(/^[=+\-@\t\r\n＝＋－＠]/.test(cell) && !/^-\d+(\.\d+)?$/.test(cell)).toBe(false);
        if (!/^[=+\-@\t\r\n＝＋－＠]/.test(referenceId)) expect(cell).toBe(referenceId);
      }),
    );
  });

  test.each([
    ['=1+1', "'=1+1"],
    ['+15550100', "'+15550100"],
    ['-1-1', "'-1-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', "'\r=1"],
    ['-5.25', '-5.25'],
    ['0012', '0012'],
    ['a=1', 'a=1'],
    ['say "hi", twice', 'say "hi", twice'],
  ])('writes the reference %j as %j', (referenceId, cell) => {
    expect(csvRowOf({ ...session, referenceId })['referenceId']).toBe(cell);
  });

  test('has empty cells for unknown facts', () => {
    const { status, code, amount, referenceId, endedAt, ...open } = session;
    expect(csvRowOf({ ...open, outcome: 'open', paid: false })).toMatchObject({
      status: '',
      code: '',
      failure: '',
      amount: '',
      referenceId: '',
      endedAt: '',
      paid: 'false',
    });
  });
});

describe('an exported amount', () => {
  test('has exactly two decimals, in CSV and in JSON lines', () => {
    fc.assert(
      fc.property(cents, (amount) => {
        const digits = String(amount).padStart(3, '0');
        const exact = `${digits.slice(0, -2)}.${digits.slice(-2)}`;
        const one = { ...session, amount: Number(exact) };
        expect(csvRowOf(one)['amount']).toBe(exact);
        expect(JSON.parse(exportedLine(one, 'jsonl'))).toEqual({ ...session, amount: exact });
      }),
    );
  });
});

test('an exported session in JSON is one line, for any texts', () => {
  fc.assert(
    fc.property(text, text, (key, referenceId) => {
      const line = exportedLine({ ...session, key, referenceId }, 'jsonl');
      expect(line.indexOf('\n')).toBe(line.length - 1);
      expect(JSON.parse(line)).toEqual({ ...session, key, referenceId, amount: '25.00' });
    }),
  );
});

test('the searchable metadata of an exported session are one cell of JSON in CSV, and an object in JSON lines', () => {
  const metadata = { customer: '=cus_42', order: '77' };
  expect(csvRowOf({ ...session, metadata })['metadata']).toBe('{"customer":"=cus_42","order":"77"}');
  expect(csvRowOf(session)['metadata']).toBe('');
  expect(JSON.parse(exportedLine({ ...session, metadata }, 'jsonl'))).toMatchObject({ metadata });
});
