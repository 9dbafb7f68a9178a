import { isPaysessionError } from '../../src/errors';
import { type HealthCheck, repeatUntil } from './health-check';

/** The accounts of a worker. */
export interface AccountLogin {
  readonly accounts: readonly string[];
  /** Makes sure that there is an access token; nothing is sent while the last one is good. */
  readonly authenticate: (account: string) => Promise<void>;
}

const FIRST_EVERY_MS = 5_000;
const LATER_EVERY_MS = 30_000;

/**
 * Whether the payment service accepts the credentials of one account at least. Once accepted they count until the service
 * refuses them: an outage of the service is no fault of the worker.
 */
export class Credentials {
  #accepted: string | undefined;
  #failure = 'not tried yet';
  readonly #login: AccountLogin;

  constructor(login: AccountLogin) {
    this.#login = login;
  }

  /** Looks for an account that is accepted. Gives the pause before the next look. */
  async look(): Promise<number> {
    const last = this.#accepted;
    const others = this.#login.accounts.filter((name) => name !== last);
    for (const name of last === undefined ? others : [last, ...others]) {
      if (await this.#isAccepted(name)) break;
    }
    return this.#accepted === undefined ? FIRST_EVERY_MS : LATER_EVERY_MS;
  }

  check(): HealthCheck {
    const ok = this.#accepted !== undefined;
    const detail = ok
      ? 'the payment service accepts an account'
      : `the payment service has accepted no account: ${this.#failure}`;
    return { name: 'credentials', ok, detail };
  }

  async #isAccepted(name: string): Promise<boolean> {
    try {
      await this.#login.authenticate(name);
      this.#accepted = name;
    } catch (error) {
      this.#failure = isPaysessionError(error) ? error.code : 'the call failed';
      const isRefused = isPaysessionError(error, 'SERVICE_CREDENTIALS_REJECTED');
      if (isRefused && this.#accepted === name) this.#accepted = undefined;
    }
    return this.#accepted === name;
  }
}

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
