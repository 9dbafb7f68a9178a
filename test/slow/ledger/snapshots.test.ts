import { describe, expect, test } from '@jest/globals';
import type { LedgerFact, LedgerSession } from '../../../ledger';
import { CLAIM } from '../../support/ledger/claim';
import { ended } from '../../support/ledger/example-payments';
import { generateSessions } from '../../support/ledger/generated';
import { testLedger } from '../../support/ledger/test-ledger';
import type { PaymentOrder } from '../../../ledger/sessions/ledger-payments';

/** More payments than one step of reading a list, so that the tests read several steps. */
const MANY = 1_200;

const BY_END: readonly PaymentOrder[] = [
  { by: 'ended', direction: 'asc' },
  { by: 'ended', direction: 'desc' },
];

const end = (): LedgerFact => ended('2026-01-01T19:30:00.000Z', true);

async function manyPayments() {
  const own = await testLedger();
  await generateSessions(own.database, MANY);
  return own;
}

/** Reads the first payment of each list, and then stops reading. */
async function stalled(lists: readonly AsyncGenerator<LedgerSession>[]): Promise<void> {
  for (const list of lists) expect((await list.next()).done).toBe(false);
}

describe('a list from the ledger that is read step by step', () => {
  test.each(BY_END)(
    'has each payment once, sorted by %j, although a payment ends meanwhile',
    async (order) => {
      const { ledger } = await manyPayments();
      await ledger.claim({ ...CLAIM, key: 'open-1' });
      const seen: LedgerSession[] = [];
      for await (const payment of ledger.payments.all({}, order)) {
        seen.push(payment);
        // With this end, the payment moves from one end of the list nearly to the other.
        if (seen.length === 700) await ledger.record({ ...CLAIM, key: 'open-1' }, [end()]);
      }
      expect(seen).toHaveLength(MANY + 1);
      expect(new Set(seen.map(({ key }) => key)).size).toBe(MANY + 1);
      expect(seen.find(({ key }) => key === 'open-1')).toMatchObject({ outcome: 'open', paid: false });
      expect((await ledger.payments.among(['open-1'])).get('open-1')).toMatchObject({ paid: true });
    },
  );

  test('releases its connection if its reader stops early', async () => {
    const { ledger } = await manyPayments();
    for (let times = 0; times < 12; times += 1)
      for await (const { key } of ledger.payments.all({})) if (key !== '') break;
    let count = 0;
    for await (const payment of ledger.payments.all({})) count += payment.claim;
    expect(count).toBe(MANY);
  });

  test('leaves connections for other calls: all lists together use at most three', async () => {
    const { ledger, database } = await manyPayments();
    const [first, ...others] = [1, 2, 3].map(() => ledger.payments.all({}));
    if (first === undefined) throw new Error('there is no list');
    const fourth = ledger.payments.all({});
    await stalled([first, ...others]);
    const pages = Array.from({ length: 20 }, () => ledger.payments.page({}, { size: 1 }));
    expect(await Promise.all(pages)).toHaveLength(20);
    expect(await ledger.payments.totals({})).toMatchObject({ count: MANY });
    await expect(fourth.next()).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
    await first.return(undefined);
    await stalled([ledger.payments.all({ account: 'account-7' })]);
    const open = await database.query(
      `select 1 from pg_stat_activity where state = 'idle in transaction' and datname = current_database()`,
    );
    expect(open).toHaveLength(3);
  });

  test('fails if its connection breaks, and other lists go on', async () => {
    const { ledger, database } = await manyPayments();
    const broken = ledger.payments.all({});
    await stalled([broken]);
    await database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where state = 'idle in transaction' and datname = current_database()`,
    );
    const read = async () => {
      let count = 0;
      for await (const payment of broken) count += payment.claim;
      return count;
    };
    await expect(read()).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
    expect((await ledger.payments.all({}).next()).done).toBe(false);
  });

  test('does not delay the closing of the ledger', async () => {
    const { ledger } = await manyPayments();
    const list = ledger.payments.all({});
    await stalled([list]);
    await ledger.close();
    const rest = Array.from({ length: MANY }, () => list.next());
    await expect(Promise.all(rest)).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
  });

  test('ends after a time limit if its reader never continues', async () => {
    const { database } = await testLedger();
    const snapshot = await database.openSnapshot();
    const setting = 'idle_in_transaction_session_timeout';
    expect(await snapshot.query(`show ${setting}`)).toEqual([{ [setting]: '5min' }]);
    await snapshot.end();
    await expect(snapshot.query('select 1')).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
  });
});
