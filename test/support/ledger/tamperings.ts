import { hashOf, type HashedEntry } from '../../../ledger/entry-hash';
import { GrowingTree, leafHash } from '../../../ledger/log/merkle';
import type { Statements } from '../../../ledger/postgres/database';

/** The ways in which an attacker who owns the database can tamper with a ledger. */
export const TAMPERINGS = [
  'edit',
  'editAndRehash',
  'delete',
  'deletePlace',
  'deleteBoth',
  'insert',
  'insertWithPlace',
  'swapEntries',
  'swapPlaces',
  'editLeaf',
  'rollBack',
  'rollBackWithCheckpoints',
  'rewriteAll',
] as const;
export type Tampering = (typeof TAMPERINGS)[number];

interface Row extends Omit<HashedEntry, 'at' | 'recordedAt' | 'previous'> {
  readonly position: string;
  readonly at: Date;
  readonly recorded_at: Date;
  readonly previous: Buffer;
  readonly hash: Buffer;
}

const S = 'paysession_ledger';

/** Tampers with a ledger in one of these ways. All entries must already be in the log. */
export async function tamper(statements: Statements, kind: Tampering, random: () => number): Promise<void> {
  const rows = await statements.query<Row>(
    `select * from ${S}.log join ${S}.entries using (environment, key, number) order by position`,
  );
  const pick = <T>(some: readonly T[]): T => some[Math.floor(random() * some.length)] as T;
  const row = pick(rows);
  const differs = ({ kind: otherKind, body }: Row) => otherKind !== row.kind || body !== row.body;
  const other = pick(rows.filter(differs));
  const whose = (one: Row) => [one.environment, one.key, one.number];
  const where = 'environment = $1 and key = $2 and number = $3';
  switch (kind) {
    case 'edit': {
      const change = pick([
        `body = body || ' '`,
        `at = at + interval '1 millisecond'`,
        `recorded_at = recorded_at - interval '1 day'`,
        `kind = kind || 'x'`,
        `id = id || 'x'`,
        `sealed = coalesce(sealed, '') || '\\x00'`,
        `previous = previous || '\\x00'`,
        `hash = sha256(hash)`,
      ]);
      await statements.query(`update ${S}.entries set ${change} where ${where}`, whose(row));
      return;
    }
    case 'editAndRehash':
      await rewriteEntry(statements, { ...row, body: `${row.body} ` });
      return;
    case 'delete':
      await statements.query(`delete from ${S}.entries where ${where}`, whose(row));
      return;
    case 'deletePlace':
      await statements.query(`delete from ${S}.log where ${where}`, whose(row));
      return;
    case 'deleteBoth':
      await statements.query(`delete from ${S}.entries where ${where}`, whose(row));
      await statements.query(`delete from ${S}.log where ${where}`, whose(row));
      return;
    case 'insert':
      await insertAfterLast(statements, rows, row.key);
      return;
    case 'insertWithPlace': {
      const inserted = await insertAfterLast(statements, rows, row.key);
      await statements.query(`update ${S}.log set position = position + 1000 where position >= $1`, [
        row.position,
      ]);
      await statements.query(`update ${S}.log set position = position - 999 where position >= 1000`);
      await addPlace(statements, inserted, Number(row.position));
      return;
    }
    case 'swapEntries':
      await rewriteEntry(statements, { ...row, kind: other.kind, body: other.body });
      await rewriteEntry(statements, { ...other, kind: row.kind, body: row.body });
      return;
    case 'swapPlaces':
      await statements.query(`update ${S}.log set position = 1000000 where position = $1`, [row.position]);
      await statements.query(`update ${S}.log set position = $1 where position = $2`, [
        row.position,
        other.position,
      ]);
      await statements.query(`update ${S}.log set position = $1 where position = 1000000`, [other.position]);
      return;
    case 'editLeaf':
      await statements.query(`update ${S}.log set leaf = sha256(leaf) where ${where}`, whose(row));
      return;
    case 'rollBack':
    case 'rollBackWithCheckpoints':
      await rollBack(statements, Number(row.position), kind === 'rollBackWithCheckpoints');
      return;
    case 'rewriteAll':
      await rewriteAll(statements, rows, Number(row.position));
  }
}

/** Rewrites an entry, and updates its hash and its leaf in the log to the new fields. Returns the hash. */
async function rewriteEntry(statements: Statements, row: Row): Promise<Buffer> {
  const times = { at: row.at.toISOString(), recordedAt: row.recorded_at.toISOString() };
  const hash = hashOf({ ...row, ...times });
  const values = [row.environment, row.key, row.number];
  const where = 'environment = $1 and key = $2 and number = $3';
  await statements.query(
    `update ${S}.entries set kind = $4, body = $5, previous = $6, hash = $7 where ${where}`,
    [...values, row.kind, row.body, row.previous, hash],
  );
  await statements.query(`update ${S}.log set leaf = $4 where ${where}`, [...values, leafHash(hash)]);
  return hash;
}

/** Adds a forged entry with a correct hash to a session, as any role with the right to insert can. The entry waits for its log position. */
export async function appendOwn(
  statements: Statements,
  key: string,
  fields: Partial<Pick<Row, 'kind' | 'body'>>,
): Promise<void> {
  const rows = await statements.query<Row>(`select * from ${S}.entries where key = $1 order by number`, [
    key,
  ]);
  const { environment, number } = await insertAfterLast(statements, rows, key, fields);
  await statements.query(`insert into ${S}.unsequenced (environment, key, number) values ($1, $2, $3)`, [
    ...[environment, key, number],
  ]);
}

/** Adds a well-formed entry after a session’s last entry, and returns the new entry. */
async function insertAfterLast(
  statements: Statements,
  rows: readonly Row[],
  key: string,
  fields: Partial<Pick<Row, 'kind' | 'body'>> = {},
): Promise<Row> {
  const last = rows.findLast((row) => row.key === key);
  if (last === undefined) throw new Error('the session has no entry');
  const row = { ...last, ...fields, number: last.number + 1, id: 'inserted', previous: last.hash };
  const times = { at: row.at.toISOString(), recordedAt: row.recorded_at.toISOString() };
  const hash = hashOf({ ...row, ...times });
  await statements.query(
    `insert into ${S}.entries (environment, key, number, claim, id, kind, at, recorded_at, body, sealed, previous, hash)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      ...[row.environment, row.key, row.number, row.claim, row.id, row.kind],
      ...[times.at, times.recordedAt, row.body],
      ...[row.sealed === null ? null : Buffer.from(row.sealed), row.previous, hash],
    ],
  );
  return { ...row, hash };
}

/** Inserts an entry into the log at a position. */
async function addPlace(statements: Statements, row: Row, position: number): Promise<void> {
  await statements.query(
    `insert into ${S}.log (position, environment, key, number, leaf) values ($1, $2, $3, $4, $5)`,
    [position, row.environment, row.key, row.number, leafHash(row.hash)],
  );
}

/** Removes the newest entries, as a restore from an old backup does. */
async function rollBack(statements: Statements, size: number, withCheckpoints: boolean): Promise<void> {
  await statements.query(
    `delete from ${S}.entries using ${S}.log where log.position >= $1
      and (entries.environment, entries.key, entries.number) = (log.environment, log.key, log.number)`,
    [size],
  );
  await statements.query(`delete from ${S}.log where position >= $1`, [size]);
  if (withCheckpoints) await statements.query(`delete from ${S}.checkpoints where size > $1`, [size]);
}

/** Rewrites an entry and consistently all later entries. Removes the checkpoints that would reveal this. */
async function rewriteAll(statements: Statements, rows: readonly Row[], position: number): Promise<void> {
  const last = new Map<string, Buffer>();
  const tree = new GrowingTree();
  for (const row of rows) {
    const isChanged = Number(row.position) === position;
    const body = isChanged ? `${row.body} ` : row.body;
    const previous = last.get(row.key) ?? row.previous;
    const hash = await rewriteEntry(statements, { ...row, body, previous });
    last.set(row.key, hash);
    tree.append(leafHash(hash));
  }
  await statements.query(`delete from ${S}.checkpoints where size > $1`, [position]);
}
