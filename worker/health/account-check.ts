import type { AccountLogin } from './credentials';
import { repeatUntil } from './repeat-until';

/** Then accounts without a token are tried again. One that is refused is asked for less often: its client sees to that. */
const EVERY_MS = 5_000;
/** A worker may have hundreds of accounts: it asks for a few at once. */
const AT_ONCE = 8;

/**
 * Asks for a token of each account, and again until there was one: wrong credentials show before the first create needs them.
 * Whoever makes the tokens says which are refused.
 */
export function checkAccounts(login: AccountLogin, signal: AbortSignal): void {
  let left = login.accounts;
  void repeatUntil(signal, async () => {
    left = await withoutToken(login, left);
    return left.length === 0 ? undefined : EVERY_MS;
  });
}

async function withoutToken({ authenticate }: AccountLogin, accounts: readonly string[]): Promise<string[]> {
  const failed: string[] = [];
  for (let next = 0; next < accounts.length; next += AT_ONCE) {
    const some = accounts.slice(next, next + AT_ONCE);
    const ended = await Promise.allSettled(some.map((account) => authenticate(account)));
    failed.push(...some.filter((_, index) => ended[index]?.status === 'rejected'));
  }
  return failed;
}
