import { isPaysessionError } from '../../src/errors';
import type { HealthCheck } from './health-check';

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
