import { isLookedFor } from '../../src/protocol/temporal/query-text';
import type { SessionFilter } from '../../src/sessions';
import type { Reading } from '../reading/reading';

/** An account whose sessions' calls keep failing. */
export interface TroubledAccount {
  readonly account: string;
  readonly failing: number;
  readonly open: number;
  /** When the oldest of the failing sessions that were looked at was started. */
  readonly oldest: Date;
}

export interface TroubledAccounts {
  readonly accounts: readonly TroubledAccount[];
  /** How many failing sessions were looked at, where there are more: then there may be other accounts. */
  readonly ofNewest?: number;
}

/** So many failing sessions tell their accounts: the index cannot count by account. */
const LOOKED_AT = 200;
const MAX_ACCOUNTS = 20;

const FAILING: SessionFilter = { problem: 'serviceFailing', running: true };

/** The accounts that are paused or failing, as far as their sessions tell: those with most failing sessions first. */
export async function troubledAccounts(reading: Reading): Promise<TroubledAccounts> {
  // Newest first.
  const { sessions, next } = await reading.page(FAILING, { size: LOOKED_AT });
  const names = [...new Set(sessions.flatMap(({ account }) => account ?? []))].slice(0, MAX_ACCOUNTS);
  const accounts = await Promise.all(
    names.map(async (account) => {
      const own = sessions.filter((summary) => summary.account === account);
      const oldest = own.at(-1)?.startedAt ?? new Date();
      // The index cannot count these: what was looked at is told.
      if (!isLookedFor(account)) return { account, failing: own.length, open: own.length, oldest };
      const [failing, open] = await Promise.all([
        reading.count({ ...FAILING, account }),
        reading.count({ running: true, account }),
      ]);
      return { account, failing: failing.value, open: open.value, oldest };
    }),
  );
  accounts.sort((a, b) => b.failing - a.failing || (a.account < b.account ? -1 : 1));
  return next === undefined ? { accounts } : { accounts, ofNewest: LOOKED_AT };
}
