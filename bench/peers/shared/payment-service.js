import { Buffer } from 'node:buffer';
import { request } from 'undici';
import { requestOf } from './request.js';

/** @typedef {{ readonly status: string, readonly statusDetails?: string }} Details */

/** An answer of the payment service with an error status. */
export class ServiceError extends Error {
  /**
   * @param {number} statusCode
   * @param {string} path
   */
  constructor(statusCode, path) {
    super(`The payment service answered ${statusCode} to ${path}`);
    this.statusCode = statusCode;
  }
}

/**
 * True if a failed call may succeed when it is repeated.
 *
 * @param {unknown} error
 */
export const mayBeRetried = (error) => !(error instanceof ServiceError) || error.statusCode >= 500;

/**
 * @param {Details} details
 * @returns {boolean} true if nothing more will happen to the session; `EFT0302` still waits for a signature
 */
export const isFinal = ({ status, statusDetails }) => status !== 'Initiated' && statusDetails !== 'EFT0302';

/** A token is valid for 599 s, so it is renewed before that. */
const TOKEN_RENEWAL_MS = 540_000;

/** A client of the payment service, as a merchant might write it. All calls of the process share one token. */
export class PaymentService {
  /** @type {{ readonly value: Promise<string>, readonly renewAtMs: number } | undefined} */
  #token;
  #url;
  #basic;

  /** @param {Readonly<Record<string, string | undefined>>} environment */
  constructor({ PAYMENTS_URL = '', PAYMENTS_CLIENT_ID = '', PAYMENTS_CLIENT_SECRET = '' }) {
    this.#url = PAYMENTS_URL;
    this.#basic = Buffer.from(`${PAYMENTS_CLIENT_ID}:${PAYMENTS_CLIENT_SECRET}`).toString('base64');
  }

  /**
   * @param {string} referenceId
   * @returns {Promise<string>} the id of the new session
   */
  async create(referenceId) {
    const created = await this.#call('POST', '/api/v2/sessions', requestOf(referenceId));
    return created.sessionId;
  }

  /**
   * @param {string} sessionId
   * @returns {Promise<Details>}
   */
  async details(sessionId) {
    const { status, statusDetails } = await this.#call('GET', `/api/v2/sessions/${sessionId}/details`);
    return { status, statusDetails };
  }

  /** @param {string} sessionId */
  async cancel(sessionId) {
    await this.#call('POST', `/api/v2/sessions/${sessionId}/cancel`, {});
  }

  /** @param {string} sessionId */
  checkoutUrl(sessionId) {
    return `${this.#url}/app/?sessionId=${sessionId}`;
  }

  /**
   * @param {'GET' | 'POST'} method
   * @param {string} path
   * @param {object} [body]
   */
  async #call(method, path, body) {
    const headers = {
      authorization: `Bearer ${await this.#freshToken()}`,
      'content-type': 'application/json',
    };
    return this.#send(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  }

  #freshToken() {
    if (this.#token === undefined || Date.now() > this.#token.renewAtMs) {
      this.#token = { value: this.#authenticate(), renewAtMs: Date.now() + TOKEN_RENEWAL_MS };
      this.#token.value.catch(() => (this.#token = undefined));
    }
    return this.#token.value;
  }

  async #authenticate() {
    const { access_token } = await this.#send('/api/v1/authorize', {
      method: 'POST',
      headers: {
        authorization: `Basic ${this.#basic}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    });
    return access_token;
  }

  /**
   * @param {string} path
   * @param {Omit<NonNullable<Parameters<typeof request>[1]>, 'path'>} options
   * @returns {Promise<any>}
   */
  async #send(path, options) {
    const { statusCode, body } = await request(this.#url + path, { ...options, headersTimeout: 10_000 });
    if (statusCode >= 300) {
      await body.dump();
      throw new ServiceError(statusCode, path);
    }
    return body.json();
  }
}
