import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from './clock';

export interface TokenStoreOptions {
  readonly clock: Clock;
  readonly lifetimeMs: number;
  readonly maxPerClient: number;
}

/** Access tokens (contract A3), bounded for each client. Only their hashes are kept, by which they are found. */
export class TokenStore {
  readonly #expiries = new Map<string, Map<string, number>>();
  readonly #options: TokenStoreOptions;

  constructor(options: TokenStoreOptions) {
    this.#options = options;
  }

  issue(clientId: string): string {
    const token = randomBytes(32).toString('base64url');
    const expiries = this.#expiries.get(clientId) ?? new Map<string, number>();
    this.#expiries.set(clientId, expiries);
    const [oldest] = expiries.keys();
    if (oldest !== undefined && expiries.size >= this.#options.maxPerClient) expiries.delete(oldest);
    expiries.set(digest(token), this.#options.clock.now() + this.#options.lifetimeMs);
    return token;
  }

  /** The client that holds a token which is valid now. */
  clientIdOf(token: string): string | undefined {
    const hash = digest(token);
    for (const [clientId, expiries] of this.#expiries) {
      const expiresAtMs = expiries.get(hash);
      if (expiresAtMs !== undefined && this.#options.clock.now() < expiresAtMs) return clientId;
    }
    return undefined;
  }

  revokeAll(): void {
    this.#expiries.clear();
  }
}

const digest = (token: string): string => createHash('sha256').update(token).digest('base64');
