import { hkdfSync, randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { dropOldest } from '../../src/contract/values/drop-oldest';
import { cookieOf, cookiesOf, cookieText, isHttps } from '../http/cookies';
import type { OidcAccess, Operator } from './access';
import type { Attempt } from './oidc-provider';
import type { Visitor } from './reader';

const ATTEMPT_LASTS_MS = 600_000;
/**
 * Each login attempt is a cookie in the browser. This is the maximum size, in bytes, of the older attempts that stay when a new one begins:
 * about nine attempts with short URLs. The new attempt has up to 3 KB. With it, the header of all cookies stays below 8 KiB. Many proxies
 * refuse longer headers, and Node refuses more than 16 KiB for all headers. Attempts that begin at the same moment do not see each other's
 * cookies. `LoginLimit` limits such attempts.
 */
const MOST_OLDER_ATTEMPTS_BYTES = 4_096;
/** The form of an attempt's `state`: 32 random bytes, as `openid-client` makes it. */
const STATE = /^[\w-]{43}$/;
const ATTEMPT = /^(?:__Host-)?paysession-attempt-([\w-]{43})=/;
/** The maximum number of logouts kept: the latest ones. */
const MOST_ENDED = 10_000;

/**
 * Logins and login attempts. The browser stores them in encrypted cookies that scripts cannot read. The server stores only the logins that
 * a logout has ended.
 */
export class Logins {
  readonly #shared: Pick<SealedCookieOptions, 'key' | 'isSecure'>;
  readonly #login: SealedCookie;
  readonly #ended = new Set<string>();

  constructor({ secret, loginLastsMs, publicUrl }: OidcAccess) {
    this.#shared = { key: keyFor('cookies', secret), isSecure: isHttps(publicUrl) };
    this.#login = new SealedCookie({ purpose: 'login', lastsMs: loginLastsMs, ...this.#shared });
  }

  /**
   * Begins an attempt to log in, after which the browser opens the page `to`. Returns the attempt's cookie. If there are too many attempts,
   * also returns cookies that delete the oldest ones. Each attempt has its own cookie, so that several tabs of a browser can log in at
   * once.
   */
  async beginAttempt(
    request: FastifyRequest,
    { state, ...secrets }: Attempt,
    to: string,
  ): Promise<readonly string[]> {
    return [await this.#attempt(state).write({ ...secrets, to }), ...this.#clearOldestAttempts(request)];
  }

  /** Returns the values of the attempt with this state; `undefined` if this browser has no such attempt. */
  async attemptOf(request: FastifyRequest, state: string): Promise<Opened['value'] | undefined> {
    // The state becomes a part of a cookie's name, and a visitor may send any text.
    return STATE.test(state) ? (await this.#attempt(state).read(request))?.value : undefined;
  }

  /** Returns the cookie that deletes the attempt with this state. Other attempts stay. */
  endAttempt(state: string): string {
    return this.#attempt(state).clear();
  }

  /** Returns the cookie of a new login. */
  begin({ name, role }: Operator): Promise<string> {
    return this.#login.write({ id: randomBytes(16).toString('base64url'), name, role });
  }

  /** Returns the person who is logged in; `undefined` without a valid login. */
  async visitorOf(request: FastifyRequest): Promise<Visitor | undefined> {
    const kept = await this.#login.read(request);
    const { id = '', name = '', role } = kept?.value ?? {};
    if (kept === undefined || this.#ended.has(id)) return undefined;
    const operator: Operator = { name, role: role === 'operator' ? 'operator' : 'viewer' };
    return { operator, loginId: id, endsAtMs: kept.endsAtMs };
  }

  /**
   * Ends a login early. From then on, this process refuses copies of the login's cookie, too. Returns the cookie that deletes the login in
   * the browser.
   */
  end(loginId: string): string {
    this.#ended.add(loginId);
    dropOldest(this.#ended, MOST_ENDED);
    return this.#login.clear();
  }

  #attempt(state: string): SealedCookie {
    return new SealedCookie({ purpose: `attempt-${state}`, lastsMs: ATTEMPT_LASTS_MS, ...this.#shared });
  }

  #clearOldestAttempts(request: FastifyRequest): readonly string[] {
    let bytes = 0;
    return cookiesOf(request)
      .toReversed()
      .flatMap((pair) => {
        const [, state] = ATTEMPT.exec(pair) ?? [];
        if (state === undefined) return [];
        bytes += pair.length;
        return bytes > MOST_OLDER_ATTEMPTS_BYTES ? [this.endAttempt(state)] : [];
      });
  }
}

interface SealedCookieOptions {
  /** A cookie that was sealed for another purpose is not accepted. */
  readonly purpose: 'login' | `attempt-${string}`;
  readonly lastsMs: number;
  readonly key: Uint8Array;
  readonly isSecure: boolean;
}

/** A cookie whose value browsers store but cannot read, change or use after it expires. */
class SealedCookie {
  readonly #options: SealedCookieOptions;
  readonly #name: string;

  constructor(options: SealedCookieOptions) {
    this.#options = options;
    // If a cookie's name has the prefix `__Host-`, browsers accept the cookie only from this host and over https.
    this.#name = `${options.isSecure ? '__Host-' : ''}paysession-${options.purpose}`;
  }

  /** Returns the cookie that stores these texts. */
  async write(value: Readonly<Record<string, string>>): Promise<string> {
    const { EncryptJWT } = await import('jose');
    const { purpose, lastsMs, key } = this.#options;
    const sealed = await new EncryptJWT({ value })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setAudience(purpose)
      .setExpirationTime(new Date(Date.now() + lastsMs))
      .encrypt(key);
    return this.#text(sealed, Math.floor(lastsMs / 1_000));
  }

  /**
   * Decrypts the cookie of a request. Returns `undefined` if the cookie is missing or has expired, or was not made with this key for this
   * purpose.
   */
  async read(request: FastifyRequest): Promise<Opened | undefined> {
    const sealed = cookieOf(request, this.#name);
    if (sealed === undefined) return undefined;
    const { jwtDecrypt } = await import('jose');
    try {
      const { payload } = await jwtDecrypt<Pick<Opened, 'value'>>(sealed, this.#options.key, {
        audience: this.#options.purpose,
        requiredClaims: ['exp'],
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
      });
      return { value: payload.value, endsAtMs: (payload.exp ?? 0) * 1_000 };
    } catch {
      return undefined;
    }
  }

  /** Returns a cookie that deletes this cookie in the browser. */
  clear(): string {
    return this.#text('', 0);
  }

  #text(value: string, maxAgeS: number): string {
    return cookieText({ name: this.#name, value, maxAgeS, isSecure: this.#options.isSecure });
  }
}

/** The value of an opened cookie, and the time at which the cookie expires. */
interface Opened {
  readonly value: Readonly<Record<string, string>>;
  readonly endsAtMs: number;
}

/** Derives a key for one purpose from the console's secret. */
export function keyFor(purpose: 'cookies' | 'forms', secret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', `paysession console ${purpose}`, 32));
}
