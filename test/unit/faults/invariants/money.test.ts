import { describe, expect, test } from '@jest/globals';
import { entries, entry, ID, OTHER_ID, row } from '../../../../chaos/faults/invariants/hand-made';
import { checkMoney, type Books, type MoneyLine } from '../../../../chaos/faults/invariants/money';
import type { KeptLine, RecordedEntry } from '../../../../chaos/faults/ledger/recorded';

// Reconciliation files have lines about money. A line belongs to a session, or waits in the ledger until a person explains it.
const SETTLED: MoneyLine = {
  reference: 'shared-reference',
  sessionId: ID,
  amount: '25.00',
  day: '2026-05-06',
  kind: 'settled',
  code: '',
};
const RETURNED: MoneyLine = { ...SETTLED, day: '2026-05-08', kind: 'returned', code: '905' };
const STRANGER: MoneyLine = {
  reference: 'stranger-0',
  amount: '900000.00',
  day: '2026-05-06',
  kind: 'settled',
  code: '',
};

/** A key whose payment shares its reference with other payments. */
const KEY = 'f-1';

const entryOf = ({ kind, day, code }: MoneyLine, changes: Partial<RecordedEntry> = {}): RecordedEntry =>
  entry({
    number: kind === 'settled' ? 6 : 7,
    kind,
    atMs: Date.parse(day),
    body: { amount: 25, ...(code !== '' && { code }) },
    ...changes,
  });

const keptOf = ({ sessionId, ...line }: MoneyLine, changes: Partial<KeptLine> = {}): KeptLine => ({
  ...line,
  id: `${line.kind} ${line.reference}`,
  reason: 'unknown',
  sessionId: sessionId ?? null,
  referenceId: sessionId === undefined ? line.reference : null,
  isMatched: false,
  isExplained: false,
  ...changes,
});

const MONEY = [entryOf(SETTLED), entryOf(RETURNED)];
const ofKey = (money: readonly RecordedEntry[], paid = true): Books['recorded'] =>
  new Map([[KEY, { entries: [...entries(), ...money], claims: [row({ paid })] }]]);

/** The books with a payment that came back, and a waiting line that belongs to no session (a stranger's line). */
const BOOKS: Books = {
  lines: [SETTLED, RETURNED],
  strangers: [STRANGER],
  recorded: ofKey(MONEY),
  kept: [keptOf(STRANGER)],
  explained: new Set(),
  failures: [],
  sums: { stayed: 0, returned: 25_00, waiting: 900_000_00 },
};

const found = (changes: Partial<Books>): readonly string[] =>
  checkMoney({ ...BOOKS, ...changes }).map(({ what }) => what);

const whereIn = (changes: Partial<Books>): readonly string[] =>
  checkMoney({ ...BOOKS, ...changes }).map(({ where }) => where);

describe('the check of the ledger’s money finds no violation', () => {
  test('with a return that is recorded once with its code, and a waiting line that belongs to no session', () => {
    expect(found({})).toEqual([]);
  });

  test('with waiting lines that a later run has matched, also if a person had explained a line before', () => {
    const matched = keptOf(SETTLED, { isMatched: true });
    const explained = keptOf(RETURNED, { isMatched: true, isExplained: true });
    expect(found({ kept: [...BOOKS.kept, matched, explained], explained: new Set([explained.id]) })).toEqual(
      [],
    );
  });

  test('with a waiting line for a session without a key', () => {
    const orphan = { ...SETTLED, sessionId: OTHER_ID };
    const sums = { ...BOOKS.sums, waiting: 900_025_00 };
    expect(found({ lines: [...BOOKS.lines, orphan], kept: [...BOOKS.kept, keptOf(orphan)], sums })).toEqual(
      [],
    );
  });

  test('with a settlement that does not come back', () => {
    const sums = { ...BOOKS.sums, stayed: 25_00, returned: 0 };
    expect(found({ lines: [SETTLED], recorded: ofKey([entryOf(SETTLED)]), sums })).toEqual([]);
  });
});

describe('the check of the ledger’s money finds', () => {
  const WAITING = keptOf(RETURNED);

  test('a line of a file that is missing in the ledger, and a line that is recorded and also waits', () => {
    const sums = { stayed: 25_00, returned: 0, waiting: 900_000_00 };
    expect(found({ recorded: ofKey([entryOf(SETTLED)]), sums })).toEqual([
      expect.stringContaining(
        `returned 25.00 on 2026-05-08 (905) of session ${ID} is recorded 0 times and kept 0 times`,
      ),
    ]);
    const both = { ...BOOKS.sums, waiting: 900_025_00 };
    expect(found({ kept: [...BOOKS.kept, WAITING], sums: both })).toEqual([
      expect.stringContaining('is recorded 1 times and kept 1 times'),
    ]);
  });

  test('a line that waits although its session is paid, with the session’s id or only with the reference', () => {
    const sums = { stayed: 25_00, returned: 0, waiting: 900_025_00 };
    const recorded = ofKey([entryOf(SETTLED)]);
    expect(found({ recorded, kept: [...BOOKS.kept, WAITING], sums })).toEqual([
      expect.stringContaining('is recorded 0 times and kept 1 times'),
    ]);
    const { sessionId: _id, ...unnamed } = RETURNED;
    const both = { ...BOOKS.sums, waiting: 900_025_00 };
    expect(found({ kept: [...BOOKS.kept, keptOf(unnamed)], sums: both })).toEqual([
      `line returned shared-reference waits, and returned 25.00 on 2026-05-08 (905) of session ${ID} is known`,
    ]);
    expect(whereIn({ kept: [...BOOKS.kept, keptOf(unnamed)], sums: both })).toEqual([KEY]);
    expect(whereIn({ recorded, kept: [...BOOKS.kept, WAITING], sums })).toEqual([KEY]);
    expect(whereIn({ lines: [{ ...SETTLED, sessionId: OTHER_ID }, RETURNED] })).toContain('shared-reference');
  });

  test('an entry that exists twice, an entry that is in no file, and an entry with another code, day or amount', () => {
    const twice = { ...BOOKS.sums, returned: 50_00 };
    const again = entryOf(RETURNED, { number: 8 });
    expect(found({ recorded: ofKey([...MONEY, again]), sums: twice })).toEqual([
      expect.stringContaining('is recorded 2 times'),
    ]);
    for (const change of [{ body: { amount: 25, code: '901' } }, { atMs: Date.parse('2026-05-07') }])
      expect(found({ recorded: ofKey([entryOf(SETTLED), entryOf(RETURNED, change)]) })).toEqual([
        expect.stringContaining('is recorded 0 times'),
        'it has returned, which no file says',
      ]);
    const dear = { ...BOOKS.sums, returned: 25_01 };
    const oneCent = entryOf(RETURNED, { body: { amount: 25.01, code: '905' } });
    expect(found({ recorded: ofKey([entryOf(SETTLED), oneCent]), sums: dear })).toHaveLength(2);
  });

  test('a lost, doubled or matched line that belongs to no session', () => {
    const sumsOf = (waiting: number) => ({ ...BOOKS.sums, waiting });
    expect(found({ kept: [], sums: sumsOf(0) })).toHaveLength(1);
    const second = keptOf(STRANGER, { id: 'second' });
    expect(found({ kept: [...BOOKS.kept, second], sums: sumsOf(1_800_000_00) })).toHaveLength(1);
    expect(found({ kept: [keptOf(STRANGER, { isMatched: true })], sums: sumsOf(0) })).toHaveLength(1);
  });

  test('a lost explanation, a sum that is wrong by a cent, and a failed reconciliation', () => {
    expect(found({ explained: new Set([BOOKS.kept[0]?.id ?? '']) })).toEqual(['its explanation is lost']);
    expect(found({ sums: { ...BOOKS.sums, returned: 25_01 } })).toEqual([
      'the ledger reports 2501 cents as returned, and has 2500',
    ]);
    expect(found({ failures: ['INVALID_FILE'] })).toEqual(['a reconciliation failed: INVALID_FILE']);
  });
});
