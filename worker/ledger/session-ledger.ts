import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionLedger } from '../../activities';
import type { PaymentLedger } from '../../ledger';
import { isPaysessionError } from '../../src/errors';
import { fingerprintOf } from '../../src/sessions';

/** News waits no longer than this for the ledger: it is recorded when the session ends, at the latest. */
const RECORD_WITHIN_MS = 1_000;

/** Says in the log once that the ledger is away, and once that it is back. */
export interface LedgerLog {
  warn(message: string, fields: Record<string, unknown>): void;
  info(message: string): void;
}

/** The ledger as activities use it. */
export function sessionLedger(
  ledger: Pick<PaymentLedger, 'claim' | 'record' | 'recordEnd'>,
  log: LedgerLog,
): SessionLedger {
  const watched = new Watched(log);
  return {
    claim: async (claim) => {
      const fingerprint = fingerprintOf(claim);
      return watched.call(() => ledger.claim({ ...claim, fingerprint }));
    },
    record: (key, facts) => soon(watched.call(() => ledger.record(key, facts))),
    recordEnd: (claim, facts) => soon(watched.call(() => ledger.recordEnd(claim, facts))),
  };
}

/** Waits for a record no longer than it may take; what comes of it later, the log tells. */
async function soon(recording: Promise<unknown>): Promise<void> {
  const recorded = recording.catch(() => undefined);
  const over = new AbortController();
  const late = sleep(RECORD_WITHIN_MS, undefined, { signal: over.signal }).catch(() => undefined);
  await Promise.race([recorded, late]);
  over.abort();
}

/** Tells when calls begin to fail, and when they no longer do. */
class Watched {
  #failing = false;
  readonly #log: LedgerLog;

  constructor(log: LedgerLog) {
    this.#log = log;
  }

  async call<T>(work: () => Promise<T>): Promise<T> {
    try {
      const answer = await work();
      if (this.#failing) this.#log.info('the ledger answers again');
      this.#failing = false;
      return answer;
    } catch (error) {
      const code = isPaysessionError(error) ? error.code : 'unexpected';
      const message = isPaysessionError(error) ? error.message : String(error);
      if (!this.#failing) this.#log.warn(`the ledger does not record: ${message}`, { code });
      this.#failing = true;
      throw error;
    }
  }
}
