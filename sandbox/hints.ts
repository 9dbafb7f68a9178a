import { systemCode } from '../src/files';
import type { SandboxSession } from './sessions/session';

/** The receiver of hints: messages that a session has changed. */
export interface SandboxHints {
  /** Receives each hint by HTTP POST, such as a worker's `http://127.0.0.1:9465/hints`. */
  readonly url: string;
  /** Sent as a bearer token. @default no token */
  readonly secret?: string;
}

/**
 * The interval, in milliseconds, at which the due events of all sessions happen. A sandbox without hints has no such interval: its due
 * events happen when sessions or mails are read.
 */
export const DUE_EVERY_MS = 250;
/** The maximum number of hints under way. Further hints are lost, as a payment service's webhooks may be. */
const MOST_SENDING = 100;
const SENT_WITHIN_MS = 5_000;

/** Sends a hint whenever a session has changed: once, without a retry (contract rule A79 in docs/contract.md). */
export class HintSender {
  readonly #hints: SandboxHints;
  readonly #log: (line: string) => void;
  #sending = 0;

  constructor(hints: SandboxHints, log: (line: string) => void = () => undefined) {
    this.#hints = hints;
    this.#log = log;
  }

  /** Sends a hint if the session's status, code or amount has changed. */
  moved(before: SandboxSession, after: SandboxSession): void {
    if (looksTheSame(before, after)) return;
    if (this.#sending < MOST_SENDING) void this.#send(after);
    else this.#log('a hint was not sent: too many are under way');
  }

  async #send({ sessionId }: SandboxSession): Promise<void> {
    const { url, secret } = this.#hints;
    this.#sending += 1;
    try {
      const { ok, status } = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'content-type': 'application/json',
          ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
        },
        body: JSON.stringify({ event: 'session.changed', sessionId }),
        signal: AbortSignal.timeout(SENT_WITHIN_MS),
      });
      if (!ok) this.#log(`a hint was refused: status ${status}`);
    } catch (error) {
      this.#log(`a hint did not arrive: ${reasonOf(error)}`);
    } finally {
      this.#sending -= 1;
    }
  }
}

const looksTheSame = ({ state: before }: SandboxSession, { state: after }: SandboxSession): boolean =>
  before.status === after.status && before.code === after.code && before.amount === after.amount;

/** Returns the code of a failed connection, or else the error's name. Not the message, because it may contain the URL. */
const reasonOf = (error: unknown): string =>
  error instanceof Error ? (systemCode(error.cause) ?? error.name) : 'unknown';
