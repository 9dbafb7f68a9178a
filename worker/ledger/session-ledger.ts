import type { SessionLedger } from '../../activities';
import type { PaymentLedger } from '../../ledger';
import { isPaysessionError } from '../../src/errors';
import type { KeyClaim } from '../../src/protocol/activities/activities';
import type { LedgerFact } from '../../src/protocol/ledger/facts';
import { fingerprintOf } from '../../src/sessions';
import { repeatUntil } from '../health/health-check';

/** News waits no longer than this for the ledger: it is recorded when the session ends, at the latest. */
const RECORD_WITHIN_MS = 1_000;

/** A ledger that nobody asks is looked at so often: it is known to be away before a payment waits for it. */
const LOOK_EVERY_MS = 15_000;

/**
 * A look only reads, and so does not tell that a server takes entries again: its disk may be full. It counts once no entry was refused for so
 * long. Sessions that wait for the ledger ask it at least every half minute; and the alert, which waits for a minute, is for no absence of a
 * moment after which nobody asks.
 */
const LOOK_COUNTS_AFTER_MS = 40_000;

/** Says in the log once that the ledger is away, and once that it is back. */
export interface LedgerLog {
  warn(message: string, fields: Record<string, unknown>): void;
  info(message: string): void;
}

/** What is asked of the ledger. */
export type LedgerCall = 'claim' | 'record' | 'end' | 'check';

/** Is told of the calls to the ledger. */
export interface LedgerObserver {
  called(call: LedgerCall, ms: number, succeeded: boolean): void;
  /** Whether the ledger is away, by all calls so far. */
  away(isAway: boolean): void;
}

/** The ledger as workflows use it. Never rejects, and gives up soon: what is not recorded now is recorded by a sweep. */
export interface ToldLedger {
  /** Records facts that a workflow tells, once each, where it has the key. */
  recordOf(claim: KeyClaim, facts: readonly LedgerFact[]): Promise<void>;
  /** The same of its end. */
  recordEnd(claim: KeyClaim, facts: readonly LedgerFact[]): Promise<void>;
}

/** The ledger as a worker uses it, which can be looked at until a signal aborts. */
export interface WatchedLedger extends SessionLedger, ToldLedger {
  watch(signal: AbortSignal): void;
}

export function sessionLedger(
  ledger: Pick<PaymentLedger, 'claim' | 'record' | 'recordOf' | 'check'>,
  log: LedgerLog,
  observer: LedgerObserver,
): WatchedLedger {
  const watched = new Watched(log, observer);
  return {
    claim: async (claim) => {
      const fingerprint = fingerprintOf(claim);
      return watched.call('claim', () => ledger.claim({ ...claim, fingerprint }));
    },
    record: (key, facts) => soon(watched.call('record', () => ledger.record(key, facts))),
    recordOf: (claim, facts) => soon(watched.call('record', () => ledger.recordOf(claim, facts))),
    recordEnd: (claim, facts) => soon(watched.call('end', () => ledger.recordOf(claim, facts))),
    watch: (signal) => {
      void repeatUntil(signal, async () => {
        await watched.call('check', () => ledger.check()).catch(() => undefined);
        return LOOK_EVERY_MS;
      });
    },
  };
}

/** Waits for a record no longer than it may take; what comes of it later, the log tells. */
function soon(recording: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const late = setTimeout(resolve, RECORD_WITHIN_MS);
    const recorded = () => {
      clearTimeout(late);
      resolve();
    };
    recording.then(recorded, recorded);
  });
}

/** Tells when calls begin to fail, and when they no longer do. */
class Watched {
  #failing = false;
  #refusedAtMs = -Infinity;
  readonly #log: LedgerLog;
  readonly #observer: LedgerObserver;

  constructor(log: LedgerLog, observer: LedgerObserver) {
    this.#log = log;
    this.#observer = observer;
  }

  async call<T>(call: LedgerCall, work: () => Promise<T>): Promise<T> {
    const sinceMs = performance.now();
    try {
      const answer = await work();
      this.#observer.called(call, performance.now() - sinceMs, true);
      if (call !== 'check' || performance.now() - this.#refusedAtMs >= LOOK_COUNTS_AFTER_MS)
        this.#succeeded();
      return answer;
    } catch (error) {
      this.#observer.called(call, performance.now() - sinceMs, false);
      if (call !== 'check') this.#refusedAtMs = performance.now();
      this.#failed(error);
      throw error;
    }
  }

  #succeeded(): void {
    if (this.#failing) this.#log.info('the ledger answers again');
    this.#failing = false;
    this.#observer.away(false);
  }

  #failed(error: unknown): void {
    const code = isPaysessionError(error) ? error.code : 'unexpected';
    const message = isPaysessionError(error) ? error.message : String(error);
    if (!this.#failing) this.#log.warn(`the ledger does not record: ${message}`, { code });
    this.#failing = true;
    this.#observer.away(true);
  }
}
