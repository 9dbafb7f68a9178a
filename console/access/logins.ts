import { hkdfSync, randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { dropOldest } from '../../src/contract/values/drop-oldest';
import { cookieOf, cookieText, isHttps } from '../http/cookies';
import type { OidcAccess, Operator } from './access';
import type { Visitor } from './reader';

type Purpose = 'login' | 'attempt';

const ATTEMPT_LASTS_MS = 600_000;
/** The maximum number of early logouts kept: the latest ones. */
const MOST_ENDED = 10_000;

/**
 * Logins and login attempts. Only the browser stores them, sealed, in cookies that scripts cannot read. The server remembers
 * only the logins that were ended by a logout.
 */
export class Logins {
  readonly #seal: Seal;
  readonly #lastsMs: number;
  readonly #isSecure: boolean;
  readonly #ended = new Set<string>();

  constructor({ secret, loginLastsMs, publicUrl }: OidcAccess) {
    this.#seal = new Seal(secret);
    this.#lastsMs = loginLastsMs;
    this.#isSecure = isHttps(publicUrl);
  }

  /** Returns the cookie of a new login. */
  begin({ name, role }: Operator): Promise<string> {
    const id = randomBytes(16).toString('base64url');
    return this.#cookie('login', { id, name, role }, this.#lastsMs);
  }

  /** Returns the person who is logged in. */
  async visitorOf(request: FastifyRequest): Promise<Visitor | undefined> {
    const kept = await this.#kept(request, 'login');
    const { id = '', name = '', role } = kept?.value ?? {};
    if (kept === undefined || this.#ended.has(id)) return undefined;
    const operator: Operator = { name, role: role === 'operator' ? 'operator' : 'viewer' };
    return { operator, loginId: id, endsAtMs: kept.endsAtMs };
  }

  /** Ends a login early, including copies of its cookie. Returns the cookie that replaces it. */
  end(loginId: string): string {
    this.#ended.add(loginId);
    dropOldest(this.#ended, MOST_ENDED);
    return this.#without('login');
  }

  attempt(value: Sealable): Promise<string> {
    return this.#cookie('attempt', value, ATTEMPT_LASTS_MS);
  }

  async attemptOf(request: FastifyRequest): Promise<Sealable | undefined> {
    return (await this.#kept(request, 'attempt'))?.value;
  }

  withoutAttempt(): string {
    return this.#without('attempt');
  }

  async #kept(request: FastifyRequest, purpose: Purpose): Promise<Opened | undefined> {
    const sealed = cookieOf(request, this.#name(purpose));
    return sealed === undefined ? undefined : this.#seal.open(purpose, sealed);
  }

  async #cookie(purpose: Purpose, value: Sealable, lastsMs: number): Promise<string> {
    const sealed = await this.#seal.close(purpose, value, Date.now() + lastsMs);
    return this.#written(purpose, sealed, Math.floor(lastsMs / 1_000));
  }

  #without(purpose: Purpose): string {
    return this.#written(purpose, '', 0);
  }

  #written(purpose: Purpose, value: string, maxAgeS: number): string {
    return cookieText({ name: this.#name(purpose), value, maxAgeS, isSecure: this.#isSecure });
  }

  /** With this prefix, browsers accept the cookie only from this host, by https. */
  #name(purpose: Purpose): string {
    return `${this.#isSecure ? '__Host-' : ''}paysession-${purpose}`;
  }
}

/** A value that can be sealed: only text fields. */
type Sealable = Readonly<Record<string, string>>;

/** Seals values that browsers store but cannot read, change or use after they expire. */
class Seal {
  readonly #key: Uint8Array;

  constructor(secret: string) {
    this.#key = keyFor('cookies', secret);
  }

  /** @param purpose no other purpose opens the sealed value */
  async close(purpose: string, value: Sealable, endsAtMs: number): Promise<string> {
    const { EncryptJWT } = await import('jose');
    return new EncryptJWT({ value })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setAudience(purpose)
      .setExpirationTime(new Date(endsAtMs))
      .encrypt(this.#key);
  }

  /** Returns `undefined` for a value that was not sealed here for this purpose, or that has expired. */
  async open(purpose: string, sealed: string): Promise<Opened | undefined> {
    const { jwtDecrypt } = await import('jose');
    try {
      const { payload } = await jwtDecrypt<{ value: Sealable }>(sealed, this.#key, {
        audience: purpose,
        requiredClaims: ['exp'],
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
      });
      return { value: payload.value, endsAtMs: (payload.exp ?? 0) * 1_000 };
    } catch {
      return undefined;
    }
  }
}

/** A login, or a login attempt, that a browser stores. */
interface Opened {
  readonly value: Sealable;
  readonly endsAtMs: number;
}

/** Derives a key for one purpose from the console's secret. */
export function keyFor(purpose: 'cookies' | 'forms', secret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', `paysession console ${purpose}`, 32));
}
