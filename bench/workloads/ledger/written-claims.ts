import { foldedKeys } from '../../../ledger/log/compare-summaries';
import type { Statements } from '../../../ledger/postgres/database';
import { summariesOf, type ClaimSummary } from '../../../ledger/sessions/summary';

/** The columns of the table of claims, by the members that they store. */
const COLUMNS: Readonly<Record<keyof ClaimSummary, string>> = {
  claim: 'claim',
  firstRunId: 'first_run_id',
  stands: 'stands',
  listed: 'listed',
  kind: 'kind',
  direction: 'direction',
  account: 'account',
  outcome: 'outcome',
  status: 'status',
  code: 'code',
  failure: 'failure',
  paid: 'paid',
  amount: 'amount',
  currency: 'currency',
  referenceId: 'reference_id',
  sessionId: 'session_id',
  claimedAt: 'claimed_at',
  endedAt: 'ended_at',
  settledAt: 'settled_at',
  returnedAt: 'returned_at',
  returnCode: 'return_code',
  money: 'money',
  parked: 'parked',
};

const NAMES = ['environment', 'key', ...Object.values(COLUMNS)].join(', ');

/** Writes the summaries of all claims, for entries that a test or a benchmark has written by itself. */
export async function writeClaims(statements: Statements): Promise<void> {
  for await (const keys of foldedKeys(statements)) {
    const rows = keys.flatMap(({ environment, key, claims }) =>
      summariesOf(claims).map((summary) => ({ environment, key, parked: false, ...columnsOf(summary) })),
    );
    await statements.query(
      `insert into paysession_ledger.claims (${NAMES})
        select ${NAMES} from jsonb_populate_recordset(null::paysession_ledger.claims, $1::jsonb)`,
      [JSON.stringify(rows)],
    );
  }
}

const columnsOf = (summary: ClaimSummary): object =>
  Object.fromEntries(
    Object.entries(summary).map(([name, value]) => [COLUMNS[name as keyof ClaimSummary], value]),
  );
