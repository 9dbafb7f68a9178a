import type { InjectedSinks, Logger } from '@temporalio/worker';
import type { SessionLedger } from '../activities';
import type { PaymentLedger } from '../ledger';
import { faultOfSession, isPaysessionError, type SessionFault } from '../src/errors';
import type { ClaimOf, LedgerClaim, LedgerFact } from '../src/protocol/ledger/facts';
import { fingerprintOf, soon, type TemporalNamespace } from '../src/sessions';
import { repeatUntil } from './repeat-until';
import { endFacts } from '../src/protocol/ledger/session-facts';
import type { LedgerSinks } from '../workflows/notify';
import type { LedgerNamespaces } from '../ledger/namespaces';

/**
 * The ledger as a worker uses it. The ledger is a PostgreSQL database that keeps keys and payments for longer than Temporal does. A
 * claim is the ledger's record that a key belongs to one workflow. Facts are what the ledger keeps about a session's progress.
 */

/** The longest wait for a fact to be recorded. A missing fact is recorded when the session ends, or by `paysession ledger sweep`. */
const RECORD_WITHIN_MS = 1_000;

/** The interval of checks of the ledger. A check detects an outage even if no session currently uses the ledger. */
const CHECK_EVERY_MS = 15_000;

/**
 * If another call has failed, a successful check counts only after this time. Most checks only read, so they do not prove that
 * PostgreSQL accepts writes again: its disk may be full. While sessions wait for the ledger, they call it at least every half minute.
 * So if no call has failed for this long, the outage is over. The alert waits for a minute, and ignores shorter outages.
 */
const CHECK_COUNTS_AFTER_MS = 40_000;

/** The kinds of calls to the ledger. */
export type LedgerCall = 'claim' | 'record' | 'end' | 'check';

/** Observes the calls to the ledger. */
export interface LedgerObserver {
  called(call: LedgerCall, ms: number, succeeded: boolean): void;
  /** Called after each call with true if the ledger currently fails, and with false if it works. */
  away(isAway: boolean): void;
}

/** A ledger whose calls are observed and logged. */
export interface WatchedLedger extends SessionLedger {
  /** Records the end of a claim's workflow. Otherwise the same as `record`. */
  recordEnd(claim: ClaimOf, facts: readonly LedgerFact[]): Promise<SessionFault | undefined>;
  /** Checks the ledger until the signal aborts. */
  watch(signal: AbortSignal): void;
}

/** The interval at which a worker registers its namespace as a user of the ledger. */
const REGISTER_EVERY_MS = 3_600_000;

/** Dependencies of a worker's ledger. */
export interface SessionLedgerParts {
  /** Records that the worker's namespace uses the ledger. */
  readonly register?: () => Promise<unknown>;
  readonly ledger: Pick<PaymentLedger, 'claim' | 'record' | 'recordEnded' | 'followerOf' | 'check'>;
  /** Reads a workflow's claim from Temporal. Returns `undefined` if the workflow's input is not that of a session. */
  readonly readClaim: (claim: ClaimOf) => Promise<LedgerClaim | undefined>;
  /** Receives a line when the ledger begins to fail and when it works again, and a line for each fault of a single session. */
  readonly log: Pick<Logger, 'warn' | 'info'>;
  readonly observer: LedgerObserver;
}

export function sessionLedger(parts: SessionLedgerParts): WatchedLedger {
  const { ledger, readClaim, register } = parts;
  const watched = new Watched(parts);
  /** Records facts. If the ledger lacks the claim, records the claim too: the ledger may be newer than the session, or has lost data. */
  const record = async (claim: ClaimOf, facts: readonly LedgerFact[]): Promise<void> => {
    if ((await ledger.record(claim, facts)) !== undefined) return;
    const whole = await readClaim(claim);
    if (whole !== undefined) await ledger.recordEnded(whole, facts);
  };
  return {
    claim: async (claim) => {
      const fingerprint = fingerprintOf(claim);
      return watched.call('claim', () => ledger.claim({ ...claim, fingerprint }));
    },
    record: (claim, facts) => briefly(watched.call('record', () => record(claim, facts))),
    recordEnd: (claim, facts) => briefly(watched.call('end', () => record(claim, facts))),
    followerOf: (sessionId) => watched.call('check', () => ledger.followerOf(sessionId)),
    adopt: (claim, { sessionId, at }) =>
      watched.call('record', async () => {
        try {
          await record(claim, [{ kind: 'opened', at, sessionId, how: 'adopt' }]);
          return undefined;
        } catch (error) {
          // This error is the ledger's answer, so the ledger works: another key follows the session.
          if (!isPaysessionError(error, 'SESSION_FOLLOWED')) throw error;
          return ledger.followerOf(sessionId);
        }
      }),
    watch: (signal) => {
      let registeredAtMs = -Infinity;
      void repeatUntil(signal, async () => {
        try {
          await watched.call('check', async () => {
            await ledger.check();
            if (performance.now() - registeredAtMs < REGISTER_EVERY_MS) return;
            await register?.();
            registeredAtMs = performance.now();
          });
        } catch {
          // `watched.call` has logged the failure. The next step repeats the check and the registration.
        }
        return CHECK_EVERY_MS;
      });
    },
  };
}

/**
 * Waits up to {@link RECORD_WITHIN_MS} until facts are recorded. Never rejects, because a failure is already logged. If the ledger
 * refuses the facts because of a fault of the session, resolves with that fault.
 */
async function briefly(recording: Promise<unknown>): Promise<SessionFault | undefined> {
  try {
    await soon(recording, RECORD_WITHIN_MS);
    return undefined;
  } catch (error) {
    return faultOfSession(error);
  }
}

/** Logs when calls to the ledger begin to fail, and when they succeed again. A fault of a single session is logged, but is no outage. */
class Watched {
  #failing = false;
  #refusedAtMs = -Infinity;
  readonly #parts: Pick<SessionLedgerParts, 'log' | 'observer'>;

  constructor(parts: SessionLedgerParts) {
    this.#parts = parts;
  }

  async call<T>(call: LedgerCall, work: () => Promise<T>): Promise<T> {
    const sinceMs = performance.now();
    try {
      const answer = await work();
      this.#parts.observer.called(call, performance.now() - sinceMs, true);
      if (call !== 'check' || performance.now() - this.#refusedAtMs >= CHECK_COUNTS_AFTER_MS)
        this.#succeeded();
      return answer;
    } catch (error) {
      this.#parts.observer.called(call, performance.now() - sinceMs, false);
      if (isPaysessionError(error) && faultOfSession(error) !== undefined) {
        this.#parts.log.warn(error.message, { code: error.code });
        throw error;
      }
      if (call !== 'check') this.#refusedAtMs = performance.now();
      this.#failed(error);
      throw error;
    }
  }

  #succeeded(): void {
    if (this.#failing) this.#parts.log.info('the ledger answers again');
    this.#failing = false;
    this.#parts.observer.away(false);
  }

  #failed(error: unknown): void {
    const code = isPaysessionError(error) ? error.code : 'unexpected';
    const message = isPaysessionError(error) ? error.message : String(error);
    if (!this.#failing) this.#parts.log.warn(`the ledger does not record: ${message}`, { code });
    this.#failing = true;
    this.#parts.observer.away(true);
  }
}

/** The worker for which the ledger is checked. */
export interface LedgerUser {
  readonly namespace: TemporalNamespace;
  /** True if the worker encrypts the data that Temporal stores. */
  readonly encrypts: boolean;
}

/** The parts of a ledger that a worker checks when it starts. */
export interface CheckedLedger extends Pick<PaymentLedger, 'environment' | 'isEncrypted' | 'check'> {
  readonly namespaces: Pick<LedgerNamespaces, 'register' | 'misfitOf'>;
}

/**
 * Checks the ledger when a worker starts, and warns of settings that are probably unintended. If the ledger cannot be used, throws the
 * errors of `PaymentLedger.check`, so that the worker does not start. If the ledger does not answer (`LEDGER_UNAVAILABLE`), only warns:
 * the worker can still poll sessions.
 */
export async function checkLedger(
  ledger: CheckedLedger,
  { namespace, encrypts }: LedgerUser,
  warn: (message: string) => void,
): Promise<void> {
  const { environment } = ledger;
  if (environment === 'default' && namespace.name !== 'default')
    warn(
      `the ledger’s environment is \`default\`, which namespaces other than ${namespace.name} may share: name it after the namespace`,
    );
  if (encrypts && !ledger.isEncrypted)
    warn('the worker encrypts, and its ledger does not: give it `encryption`');
  try {
    await ledger.check();
    await registerUse(ledger, namespace, warn);
  } catch (error) {
    if (!isPaysessionError(error, 'LEDGER_UNAVAILABLE')) throw error;
    warn(`no session is created yet: ${error.message}`);
  }
}

/**
 * Registers the namespace as a user of the ledger's environment. Warns if workers of another namespace use this environment, or if
 * workers of this namespace use another environment.
 */
export async function registerUse(
  { environment, namespaces }: Pick<CheckedLedger, 'environment' | 'namespaces'>,
  namespace: TemporalNamespace,
  warn: (message: string) => void,
): Promise<void> {
  const { strangers, divided } = await namespaces.misfitOf(namespace);
  const others = strangers.map(({ name, id }) => `${name} (${id})`).join(', ');
  if (strangers.length > 0)
    warn(
      `workers of another namespace, ${others}, record in the same environment of the ledger, ${environment}: a key that they have claimed is refused here. Give each namespace an environment of its own`,
    );
  if (divided.length > 0)
    warn(
      `this worker records in the environment ${environment} of the ledger, and other workers of its namespace recorded in ${divided.join(', ')} within the last day: a key that was claimed in one is free in the other. Give them the same environment`,
    );
  await namespaces.register(namespace);
}

/**
 * Returns the sinks through which workflows record facts in the ledger. A worker without a ledger needs these sinks too, and ignores
 * the facts: the session may have been created by a worker with a ledger.
 */
export function ledgerSinks(ledger: WatchedLedger | undefined): InjectedSinks<LedgerSinks> {
  return {
    paymentLedger: {
      parked: {
        fn: async (_info, { facts, ...claim }) => {
          await ledger?.record(claim, facts);
        },
      },
      ended: {
        fn: async (_info, end, at) => {
          await ledger?.recordEnd(end, endFacts(end, at));
        },
      },
    },
  };
}
