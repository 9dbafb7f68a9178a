import { createHash, randomBytes } from 'node:crypto';
import { dropOldest } from '../../src/contract/values/drop-oldest';
import type { Drawer, Journal } from '../journal';
import type { SandboxConfig } from '../options';

/** A stored token. Its key is the token's hash, not the token. */
interface StoredToken {
  readonly clientId: string;
  readonly expiresAtMs: number;
}

/** Access tokens (contract rule A3 in docs/contract.md), at most `maxTokensPerClient` for each client. Only their hashes are stored. */
export class TokenStore {
  readonly #expiries = new Map<string, Map<string, number>>();
  readonly #config: SandboxConfig;
  readonly #drawer: Drawer<StoredToken>;

  constructor(config: SandboxConfig, journal: Journal) {
    this.#config = config;
    this.#drawer = journal.drawer('token/', (tokens) => {
      this.#restore(tokens);
    });
  }

  issue(clientId: string): string {
    const token = randomBytes(32).toString('base64url');
    const { clock, tokenLifetimeMs } = this.#config;
    const hash = digest(token);
    const stored: StoredToken = { clientId, expiresAtMs: clock.now() + tokenLifetimeMs };
    this.#keep(hash, stored);
    this.#drawer.put(hash, stored);
    return token;
  }

  /** Restores the tokens, and drops those that have expired. */
  #restore(tokens: ReadonlyMap<string, StoredToken>): void {
    this.#expiries.clear();
    const nowMs = this.#config.clock.now();
    const oldestFirst = [...tokens].sort(([, one], [, other]) => one.expiresAtMs - other.expiresAtMs);
    for (const [hash, token] of oldestFirst) {
      if (token.expiresAtMs > nowMs) this.#keep(hash, token);
      else this.#drawer.remove(hash);
    }
  }

  #keep(hash: string, { clientId, expiresAtMs }: StoredToken): void {
    const expiries = this.#expiries.get(clientId) ?? new Map<string, number>();
    this.#expiries.set(clientId, expiries);
    expiries.set(hash, expiresAtMs);
    const dropped = dropOldest(expiries, this.#config.maxTokensPerClient);
    if (dropped !== undefined) this.#drawer.remove(dropped);
  }

  /** Returns the id of the client to which a token was issued; `undefined` if the token is not valid. */
  clientIdOf(token: string): string | undefined {
    const hash = digest(token);
    for (const [clientId, expiries] of this.#expiries) {
      const expiresAtMs = expiries.get(hash);
      if (expiresAtMs !== undefined && this.#config.clock.now() < expiresAtMs) return clientId;
    }
    return undefined;
  }

  revokeAll(): void {
    for (const expiries of this.#expiries.values()) {
      for (const hash of expiries.keys()) this.#drawer.remove(hash);
    }
    this.#expiries.clear();
  }
}

const digest = (token: string): string => createHash('sha256').update(token).digest('base64');
