import { PaysessionError } from '../src/errors';
import { PaymentService, type PaymentServiceOptions } from '../src/service';
import type { Accounts } from '../src/settings';

/** One client of the payment service for each account, made when it is first asked for. */
export class ServiceClients {
  private readonly clients = new Map<string, PaymentService>();

  constructor(
    private readonly accounts: Accounts,
    private readonly options: Omit<PaymentServiceOptions, 'account'> = {},
  ) {}

  /** Throws `PaysessionError` `UNKNOWN_ACCOUNT`. */
  of(name: string): PaymentService {
    const existing = this.clients.get(name);
    if (existing !== undefined) return existing;
    const account = Object.hasOwn(this.accounts, name) ? this.accounts[name] : undefined;
    if (account === undefined) {
      throw new PaysessionError(
        'UNKNOWN_ACCOUNT',
        `The worker has no credentials for the account "${name}".`,
      );
    }
    const client = new PaymentService({ ...this.options, account });
    this.clients.set(name, client);
    return client;
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.clients.values(), (client) => client.close()));
    this.clients.clear();
  }
}
