import { describe, expect, jest, test } from '@jest/globals';
import { verifyLedger } from '../../../ledger/log/verify';
import { toLedgerError } from '../../../ledger/postgres/failures';
import { appendOwn } from '../../support/ledger/tamperings';
import { faultAfter, running } from '../../support/ledger/fault-after';
import { keptLedger } from '../../support/ledger/kept-ledger';
import { recordPaid } from '../../support/ledger/recorded';
import { testLedger } from '../../support/ledger/test-ledger';

const S = 'paysession_ledger';
const ONE = `environment = 'default' and key = 'order-2' and number = 2`;
/** Drops constraints, as the database’s owner can. Otherwise the database itself would refuse some of these changes. */
const UNCHECKED = `alter table ${S}.entries drop constraint entries_at_check, drop constraint entries_recorded_at_check;
  alter table ${S}.log drop constraint log_position_check`;

type Change = readonly [what: string, kind: string, sql: string];

const PLACES: readonly Change[] = [
  [
    'an entry at a place below 0, where the keeper’s role could put an entry',
    'inserted',
    `insert into ${S}.log select -1, environment, key, 9, leaf from ${S}.log where position = 0`,
  ],
  [
    'an entry moved to a place below 0, the last of the log',
    'rolledBack',
    `update ${S}.log set position = -position where position = (select max(position) from ${S}.log)`,
  ],
  [
    'a place that exists twice',
    'inserted',
    `alter table ${S}.log drop constraint log_pkey; insert into ${S}.log select position, environment, key, 99, leaf from ${S}.log where position = 1`,
  ],
  [
    'a place that is the highest possible number',
    'deleted',
    `insert into ${S}.log select 9223372036854775807, environment, key, 99, leaf from ${S}.log where position = 1`,
  ],
  [
    'an entry that is neither in the log nor waiting',
    'inserted',
    `insert into ${S}.entries select environment, key, 99, claim, 'x', kind, at, recorded_at, written_at, body, sealed, previous, hash
      from ${S}.entries where ${ONE}`,
  ],
  ['an entry that no longer waits for a place', 'inserted', `delete from ${S}.unsequenced where number = 3`],
  ['a wait without an entry', 'inserted', `insert into ${S}.unsequenced values ('default', 'order-9', 1)`],
  [
    'a wait of an entry with a place',
    'inserted',
    `insert into ${S}.unsequenced values ('default', 'order-2', 2)`,
  ],
];

const VALUES: readonly Change[] = [
  ['a time that is infinite', 'unreadable', `update ${S}.entries set at = 'infinity' where ${ONE}`],
  [
    'a time of recording that is infinite',
    'unreadable',
    `update ${S}.entries set recorded_at = '-infinity' where ${ONE}`,
  ],
  [
    'a year that JavaScript does not know',
    'unreadable',
    `update ${S}.entries set at = '294276-01-01' where ${ONE}`,
  ],
  ['a microsecond', 'unreadable', `update ${S}.entries set at = at + interval '1 microsecond' where ${ONE}`],
  [
    'a time of an entry that waits',
    'unreadable',
    `update ${S}.entries set at = 'infinity' where key = 'order-4'`,
  ],
  ['an empty personal part in place of none', 'edited', `update ${S}.entries set sealed = '' where ${ONE}`],
  ['a hash of another length', 'edited', `update ${S}.entries set hash = '' where ${ONE}`],
  [
    'an infinite time of a summary',
    'summary',
    `update ${S}.claims set claimed_at = 'infinity' where key = 'order-2'`,
  ],
  [
    'a microsecond of a summary',
    'summary',
    `update ${S}.claims set claimed_at = claimed_at + interval '1 microsecond' where key = 'order-2'`,
  ],
  [
    'an amount that is not a number',
    'summary',
    `update ${S}.claims set amount = 'NaN' where key = 'order-2'`,
  ],
  [
    'an amount that JavaScript rounds',
    'summary',
    `update ${S}.claims set amount = amount + 1e-20 where key = 'order-2'`,
  ],
];

const DERIVED: readonly Change[] = [
  ['a summary that is gone', 'summary', `delete from ${S}.claims where key = 'order-2'`],
  [
    'a key that is gone without an erasure',
    'sessionKey',
    `update ${S}.session_keys set wrapped = null where key = 'order-2'`,
  ],
  [
    'a key that is back after an erasure',
    'sessionKey',
    `update ${S}.session_keys set wrapped = sha256('') where environment = 'default' and key = 'order-1'`,
  ],
  ['a row of a key that is gone', 'sessionKey', `delete from ${S}.session_keys where key = 'order-2'`],
  [
    'a key of a session without entries',
    'sessionKey',
    `insert into ${S}.session_keys values ('default', 'order-9', '', null)`,
  ],
  [
    'a webhook of an entry to come',
    'webhooks',
    `update ${S}.webhook_outbox set to_number = 2147483647 where key = 'order-2'`,
  ],
  [
    'a webhook that is left out',
    'webhooks',
    `update ${S}.webhook_outbox set to_number = to_number - 1 where key = 'order-2'`,
  ],
  [
    'a webhook from before the first',
    'webhooks',
    `update ${S}.webhook_outbox set from_number = -2147483648 where key = 'order-2'`,
  ],
  [
    'a webhook of a session that does not exist',
    'webhooks',
    `update ${S}.webhook_outbox set key = 'order-9' where key = 'order-2'`,
  ],
  [
    'a webhook for an endpoint that does not exist',
    'webhooks',
    `update ${S}.webhook_outbox set endpoint = 'thief' where key = 'order-2'`,
  ],
  [
    'another amount of an unmatched line',
    'unmatchedLine',
    `update ${S}.unmatched_lines set amount = amount + 1 where reference_id = 'no one'`,
  ],
  [
    'an unmatched line that no file has',
    'unmatchedLine',
    `insert into ${S}.unmatched_lines (environment, id, run_id, kind, day, amount, reference_id, reason, file, line, seen_at)
      values ('default', '0123456789abcdef', 'a-run', 'settled', '2026-03-01', 5, 'no one', 'unknown', 'own.csv', 2, now())`,
  ],
  [
    'an unmatched line that no payment has matched',
    'unmatchedLine',
    `update ${S}.unmatched_lines set matched_at = now(), matched_key = 'order-4', reference_id = null where reference_id = 'no one'`,
  ],
];

const CHECKPOINTS: readonly Change[] = [
  [
    'peaks of another tree',
    'forged',
    `update ${S}.checkpoints set peaks = sha256(peaks) || substr(peaks, 33)`,
  ],
  ['text after the signatures', 'forged', `update ${S}.checkpoints set note = note || 'paid' || chr(10)`],
  ['another size', 'forged', `update ${S}.checkpoints set size = size + 1000`],
  [
    'a checkpoint that is gone although it was kept',
    'deleted',
    `delete from ${S}.checkpoints where size < 14`,
  ],
];

const SCHEMA: readonly Change[] = [
  ['a column that is gone', 'schema', `alter table ${S}.entries drop column sealed`],
  ['a column of another type', 'schema', `alter table ${S}.entries alter column id type varchar`],
  ['a column that may be null', 'schema', `alter table ${S}.entries alter column body drop not null`],
  ['a column of another name', 'schema', `alter table ${S}.claims rename column paid to unpaid`],
  ['one more column', 'schema', `alter table ${S}.entries add column paid boolean`],
  ['another default', 'schema', `alter table ${S}.webhook_outbox alter column attempts set default 5`],
  [
    'a view in place of a table',
    'schema',
    `alter table ${S}.claims rename to hidden; create view ${S}.claims as select * from ${S}.hidden`,
  ],
  ['one more table', 'schema', `create table ${S}.others (one integer)`],
  ['a table that is gone', 'schema', `drop table ${S}.webhook_outbox`],
  ['a table that a crash empties', 'schema', `alter table ${S}.checkpoints set unlogged`],
  [
    'rows of another table among its own',
    'schema',
    `create table public.child () inherits (${S}.namespaces)`,
  ],
  ['a trigger that is gone', 'schema', `drop trigger entries_are_kept on ${S}.entries`],
  ['a trigger that is off', 'schema', `alter table ${S}.log disable trigger log_is_kept`],
  [
    'an added trigger',
    'schema',
    `create trigger own before insert on ${S}.claims for each row execute function ${S}.refuse_change()`,
  ],
  ['a foreign key that is off', 'schema', `alter table ${S}.webhook_outbox disable trigger all`],
  [
    'a function that does nothing',
    'schema',
    `create or replace function ${S}.refuse_change() returns trigger language plpgsql as 'begin return new; end'`,
  ],
  ['a function with other rights', 'schema', `alter function ${S}.queue_webhooks() security invoker`],
  [
    'a function with another result',
    'schema',
    `create or replace function ${S}.sends_webhook(kind text) returns boolean language sql immutable parallel safe return false`,
  ],
  ['one more function', 'schema', `create function ${S}.own() returns integer language sql as 'select 1'`],
  ['row security', 'schema', `alter table ${S}.entries enable row level security`],
  ['a policy', 'schema', `create policy own on ${S}.entries using (true)`],
  ['a rule', 'schema', `create rule own as on insert to ${S}.entries do instead nothing`],
  [
    'a rule of the database that is gone',
    'schema',
    `alter table ${S}.log drop constraint log_position_check`,
  ],
  ['an index that is gone, and with it a rule', 'schema', `drop index ${S}.one_standing_claim_a_key`],
  [
    'a function of another schema in place of the server’s own',
    'schema',
    `alter table ${S}.entries enable row level security;
      create function public.concat_ws(text, text, text, text, text) returns text language sql as $$ select 'table' $$`,
  ],
  ['a migration that does not exist', 'schema', `update ${S}.migrations set name = 'own'`],
];

describe('ledger verify with kept checkpoints finds', () => {
  test('no fault in a ledger that was not changed', async () => {
    const { ledger, since, verifierKey } = await keptLedger();
    expect(await ledger.verify({ since, verifierKey })).toEqual({
      entries: 19,
      covered: 19,
      waiting: 4,
      checkpoints: 4,
    });
  });

  test.each([
    ['rows of the log and the entries', PLACES],
    ['values that no writer could have written', VALUES],
    ['data that is derived from the entries', DERIVED],
    ['the checkpoints of the database', CHECKPOINTS],
    ['tables, columns, triggers, functions and rules', SCHEMA],
  ])('every change of %s', async (_what, changes) => {
    const { database, since, verifierKey } = await keptLedger();
    const found: Change[] = [];
    for (const [what, , sql] of changes) {
      const change = changes === SCHEMA ? sql : `${UNCHECKED}; ${sql}`;
      const fault = await faultAfter(database, { since, verifierKey }, running(change));
      found.push([what, fault?.kind ?? 'nothing', sql]);
    }
    expect(found).toEqual(changes);
  });

  test('a row that names an encryption key although its session key is erased, and does not print the key’s name', async () => {
    const { database, since, verifierKey } = await keptLedger();
    const sql = `update ${S}.session_keys set wrapped_with = 'old' where environment = 'default' and key = 'order-1'`;
    expect(await faultAfter(database, { since, verifierKey }, running(sql))).toMatchObject({
      kind: 'sessionKey',
      message: 'The row of a session’s key still names an encryption key although the key is erased.',
    });
  });

  test.each([
    ['a body that is not JSON', { body: '{"' }],
    ['a body that is not an object', { kind: 'state' as const, body: 'null' }],
    ['a kind that does not exist', { kind: 'paid' as never, body: '{}' }],
  ])('an entry that a writer recorded with unreadable contents: %s', async (_what, fields) => {
    const { database, since, verifierKey } = await keptLedger();
    const fault = await faultAfter(database, { since, verifierKey }, (statements) =>
      appendOwn(statements, 'order-4', fields),
    );
    expect(fault).toMatchObject({ kind: 'unreadable', session: { environment: 'default', key: 'order-4' } });
  });
});

test('if the code that reads the ledger’s rows throws, the ledger throws that same error', async () => {
  const { database } = await keptLedger();
  const defect = new TypeError('a defect');
  await expect(database.snapshot(() => Promise.reject(defect))).rejects.toBe(defect);
  await expect(database.transaction(() => Promise.reject(defect))).rejects.toBe(defect);
});

test.each(['XX001', 'XX002', '58P01'])(
  'a verification reports rows that the server cannot read as a fault, and not as an unavailable server: %s',
  async (code) => {
    const { database } = await testLedger();
    const damaged = toLedgerError(Object.assign(new Error('damaged'), { code }));
    jest.spyOn(database, 'snapshot').mockRejectedValue(damaged);
    expect((await verifyLedger(database)).fault).toMatchObject({ kind: 'unreadable' });
  },
);

test('ledger verify fails if the ledger’s server does not answer', async () => {
  const { database } = await testLedger();
  jest.spyOn(database, 'snapshot').mockRejectedValue(toLedgerError(new Error('Connection terminated')));
  await expect(verifyLedger(database)).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
});

test('ledger verify finds payments that the keeper’s role hides at log positions below 0', async () => {
  const { database, ledger, since, verifierKey } = await keptLedger();
  await recordPaid(ledger, 'order-9');
  const hides = `delete from ${S}.unsequenced where key = 'order-9';
    insert into ${S}.log select -number, environment, key, number, sha256('\\x00'::bytea || hash) from ${S}.entries where key = 'order-9'`;
  await expect(database.transaction(running(hides))).rejects.toMatchObject({ code: 'LEDGER_REFUSED' });
  const fault = await faultAfter(database, { since, verifierKey }, running(`${UNCHECKED}; ${hides}`));
  expect(fault).toEqual({
    kind: 'inserted',
    message: 'The log has 23 rows for 19 places.',
    entry: { environment: 'default', key: 'order-9', number: 4 },
    position: -4,
  });
});
