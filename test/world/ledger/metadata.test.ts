import { describe, expect, test } from '@jest/globals';
import { eventsOf } from '../../../ledger/webhooks/message';
import { CLAIM } from '../../support/ledger/claim';
import { openLedger, testLedger, type TestLedger } from '../../support/ledger/test-ledger';

const { key } = CLAIM;
const metadata = { customer: 'cus_42', order: '77', note: 'call Avery' };
const claim = { ...CLAIM, metadata, searchable: ['customer', 'order'] };
const opened = {
  kind: 'opened',
  at: CLAIM.at,
  sessionId: '5a1c0d52-0000-4000-8000-000000000001',
  how: 'create',
} as const;

async function keysWith({ ledger }: TestLedger, sought: Readonly<Record<string, string>>) {
  const { payments } = await ledger.payments.page({ metadata: sought }, { size: 10 });
  return payments.map((payment) => payment.key);
}

/** Returns the contents of all tables as text. */
async function allTexts({ database }: TestLedger): Promise<string> {
  const tables = ['entries', 'claims', 'session_keys'];
  const rows = await Promise.all(
    tables.map((table) => database.query(`select t::text from paysession_ledger.${table} t`)),
  );
  return JSON.stringify(rows);
}

describe('the metadata of a session in the ledger', () => {
  test('can be searched only by the names that the policy makes searchable', async () => {
    const world = await testLedger();
    await world.ledger.claim(claim);
    await world.ledger.claim({ ...CLAIM, key: 'order-2', firstRunId: 'run-2', metadata });
    // The metadata stays searchable after another worker has recorded a further entry.
    await world.ledger.record(claim, [opened]);
    await openLedger(world.url).record(claim, [{ kind: 'settled', at: CLAIM.at, amount: 25 }]);
    expect(await keysWith(world, { customer: 'cus_42' })).toEqual([key]);
    expect(await keysWith(world, { customer: 'cus_42', order: '77' })).toEqual([key]);
    expect(await keysWith(world, { customer: 'cus_42', order: '78' })).toEqual([]);
    expect(await keysWith(world, { note: 'call Avery' })).toEqual([]);
    expect(await keysWith(world, { customer: 'a\0b' })).toEqual([]);
    const { payments } = await world.ledger.payments.page({}, { size: 10 });
    expect(payments.map((payment) => payment.metadata)).toEqual([
      undefined,
      { customer: 'cus_42', order: '77' },
    ]);
    expect(await allTexts(world)).not.toContain('Avery');
    const [entry] = await world.ledger.entriesOf(key);
    expect(entry?.fact).toMatchObject({ metadata });
    expect(await world.ledger.verify()).not.toHaveProperty('fault');
  });

  test('are in webhooks: all metadata for an endpoint with personal data, and only the searchable metadata for others', async () => {
    const { ledger } = await testLedger();
    await ledger.claim(claim);
    await ledger.record(claim, [opened]);
    const read = await ledger.webhooks.read(key);
    const whole = await ledger.webhooks.reveal(read);
    const told = { key, environment: 'default' };
    const [plain] = eventsOf({ ...told, entries: read.entries, isPersonal: false });
    const [personal] = eventsOf({ ...told, entries: whole, isPersonal: true });
    expect(plain?.data.metadata).toEqual({ customer: 'cus_42', order: '77' });
    expect(personal?.data.metadata).toEqual(metadata);
  });

  test('are removed by an erasure, with the searchable ones and their hashes', async () => {
    const world = await testLedger();
    await world.ledger.claim(claim);
    await world.ledger.record(claim, [opened]);
    await world.ledger.erase(key, { by: 'bea', reason: 'request 77' });
    expect(await keysWith(world, { customer: 'cus_42' })).toEqual([]);
    expect(await allTexts(world)).not.toMatch(/cus_42|Avery/);
    const entries = await world.ledger.entriesOf(key);
    expect(entries[0]?.fact).not.toHaveProperty('metadata');
    expect(entries[0]?.fact).not.toHaveProperty('metadataSalt');
    // A later entry and a later claim of the key do not bring the metadata back.
    await world.ledger.record(claim, [{ kind: 'settled', at: CLAIM.at, amount: 25 }]);
    await world.ledger.recordEnded({ ...claim, firstRunId: 'run-2' }, [{ ...opened, sessionId: 'other' }]);
    expect(await keysWith(world, { customer: 'cus_42' })).toEqual([]);
    expect(await world.ledger.verify()).not.toHaveProperty('fault');
  });

  test.each([
    [`metadata = '{"customer":"cus_43","order":"77"}'`],
    [`metadata = null, metadata_salt = null`],
    [`metadata = null`],
    [`metadata_salt = 'other'`],
    [`metadata = '7'`],
  ])(
    'fail the verification and are left out of webhooks after this change in the database: set %s',
    async (change) => {
      const { ledger, database, url } = await testLedger();
      await ledger.claim(claim);
      await ledger.record(claim, [opened]);
      await database.query(`update paysession_ledger.claims set ${change}`);
      expect((await ledger.verify()).fault).toMatchObject({ kind: 'summary', claim: { key } });
      const entries = await openLedger(url).webhooks.read(key);
      const [event] = eventsOf({ key, environment: 'default', entries: entries.entries, isPersonal: false });
      expect(event?.data.key).toBe(key);
      expect(event?.data).not.toHaveProperty('metadata');
    },
  );
});
