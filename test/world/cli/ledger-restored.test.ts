import { expect, test } from '@jest/globals';
import { paysession } from '../../support/cli/run-paysession';
import { recordOpened } from '../../support/ledger/webhooks/recorded';
import { openLedger, testLedger } from '../../support/ledger/test-ledger';

const day = (agoMs = 0): string => new Date(Date.now() - agoMs).toISOString().slice(0, 10);
const DAY_MS = 86_400_000;

// After PostgreSQL was restored from a backup, the reconciliation files of some days must be recorded again.

test('paysession ledger restored lists the days whose reconciliation files a restored ledger may lack', async () => {
  const { url } = await testLedger();
  const env = { PAYSESSION_LEDGER_URL: url };
  const empty = await paysession(['ledger', 'restored'], { env });
  expect(empty).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('no entries in this environment'),
  });
  const asJson = await paysession(['ledger', 'restored', '--json'], { env });
  expect(JSON.parse(asJson.stdout)).toEqual({ isEmpty: true });

  // This machine's clock is a month late. The list follows the database's clock, and begins yesterday.
  await recordOpened(openLedger(url, { now: () => Date.now() - 30 * DAY_MS }), 'order-1');
  const restored = await paysession(['ledger', 'restored'], { env });
  expect(restored.stdout.trim().split('\n')).toEqual([day(DAY_MS), day()]);

  const backup = ['--backup', new Date(Date.now() - 2 * DAY_MS).toISOString(), '--json'];
  const listed = await paysession(['ledger', 'restored', ...backup], { env });
  expect(JSON.parse(listed.stdout)).toEqual({
    since: backup[1],
    days: [day(3 * DAY_MS), day(2 * DAY_MS), day(DAY_MS), day()],
  });
});

test('paysession ledger restored refuses a backup or a newest entry in the future, because its list of days would be empty', async () => {
  const { url, database } = await testLedger();
  const env = { PAYSESSION_LEDGER_URL: url };
  const later = new Date(Date.now() + 30 * DAY_MS).toISOString();
  expect(await paysession(['ledger', 'restored', '--backup', later], { env })).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('must not be in the future'),
  });
  await recordOpened(openLedger(url), 'order-1');
  await database.query('alter table paysession_ledger.entries disable trigger all');
  await database.query("update paysession_ledger.entries set written_at = now() + interval '30 days'");
  expect(await paysession(['ledger', 'restored', '--json'], { env })).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('is in the future of this machine’s clock'),
  });
});
