import { createHash } from 'node:crypto';
import type { LedgerDatabase, LedgerFact } from '../../../ledger';
import { hashOf, type HashedEntry } from '../../../ledger/entry-hash';
import { commitmentTo } from '../../../ledger/session-key';
import { toStored } from '../../../ledger/stored-fact';
import { writeClaims } from './written-claims';
import { requestOf } from '../../sides/request';

/** In place of the encrypted personal part of a request. It has the usual size of such a part. */
const SEALED = Buffer.alloc(400, 7);
const AT = '2026-03-01T12:00:00.000Z';
/** The number of sessions that one statement writes. */
const STEP = 1_000;

type Entry = HashedEntry & { readonly hash: Buffer };

/**
 * Writes the ledger's entries of paid sessions, in the form in which workers write them, with their chain of hashes.
 * Returns the number of entries.
 */
export async function generateEntries(database: LedgerDatabase, sessions: number): Promise<number> {
  let written = 0;
  await database.transaction(async (statements) => {
    for (let from = 0; from < sessions; from += STEP) {
      const numbers = Array.from({ length: Math.min(STEP, sessions - from) }, (_, index) => from + index);
      const entries = numbers.flatMap((number) => entriesOf(`order-${number}`));
      await statements.query(
        `insert into paysession_ledger.entries (environment, key, number, claim, id, kind, at, recorded_at, body, sealed, previous, hash)
          select environment, key, number, claim, id, kind, at, "recordedAt", body, decode(sealed, 'hex'), decode(previous, 'hex'), decode(hash, 'hex')
          from jsonb_to_recordset($1::jsonb) as one(environment text, key text, number int, claim int, id text, kind text, at timestamptz,
            "recordedAt" timestamptz, body text, sealed text, previous text, hash text)`,
        [JSON.stringify(entries.map(inHex))],
      );
      written += entries.length;
    }
    await statements.query(
      `insert into paysession_ledger.session_keys (environment, key, wrapped)
        select environment, key, sha256(key::bytea) from paysession_ledger.entries where number = 1`,
    );
    await writeClaims(statements);
  });
  return written;
}

const inHex = ({ sealed, previous, hash, ...entry }: Entry) => ({
  ...entry,
  sealed: sealed === null ? null : Buffer.from(sealed).toString('hex'),
  previous: Buffer.from(previous).toString('hex'),
  hash: hash.toString('hex'),
});

function entriesOf(key: string): readonly Entry[] {
  let previous: Buffer = commitmentTo(createHash('sha256').update(key).digest());
  return factsOf(key).map((fact, index) => {
    const { id, kind, body, personal } = toStored(fact);
    const sealed = personal === undefined ? null : SEALED;
    const entry = {
      environment: 'default',
      key,
      number: index + 1,
      claim: 1,
      id,
      kind,
      at: AT,
      recordedAt: AT,
      body,
      sealed,
      previous,
    };
    previous = hashOf(entry);
    return { ...entry, hash: previous };
  });
}

function factsOf(key: string): readonly LedgerFact[] {
  const request = requestOf(key);
  return [
    {
      kind: 'claimed',
      at: AT,
      fingerprint: key,
      firstRunId: key,
      account: 'default',
      sessionKind: 'EFT',
      direction: 'DEBIT',
      amount: 25,
      currency: 'CAD',
      request,
    },
    { kind: 'opened', at: AT, sessionId: key, how: 'create' },
    { kind: 'state', at: AT, number: 1, status: 'Initiated', code: 'EFT0101', source: 'create' },
    { kind: 'state', at: AT, number: 2, status: 'Completed', code: 'EFT0301', source: 'poll' },
    {
      kind: 'ended',
      at: AT,
      firstRunId: key,
      paid: true,
      status: 'Completed',
      code: 'EFT0301',
      leftNothing: false,
    },
  ];
}
