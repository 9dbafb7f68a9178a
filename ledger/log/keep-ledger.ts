import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { LONGEST_TIMER_MS } from '../../src/service/options';
import { toPaysessionError } from '../../src/sessions';
import type { CheckpointSigner } from './signed-note';
import type { LedgerFault } from './fault';
import type { PaymentLedger } from '../payment-ledger';
import { described } from '../postgres/failures';
import { sweepLedger } from '../sweep';
import type { CheckpointStore } from './checkpoint-store';

/**
 * The keeper of a ledger, a long-running process that repeats three jobs. `checkpoint` signs checkpoints over the log. `sweep` records missing
 * entries of ended sessions. `verify` verifies the ledger.
 */

/** A job of the keeper. */
export type KeeperJob = 'checkpoint' | 'sweep' | 'verify';

/** Options of {@link keepLedger}. */
export interface KeepOptions {
  /** The ledger for which the jobs run. */
  readonly ledger: PaymentLedger;
  /** A client of the Temporal namespace whose sessions the ledger keeps. */
  readonly client: Client;
  /** Signs the checkpoints. @default no checkpoints are made */
  readonly signer?: CheckpointSigner | undefined;
  /** The verifier keys of earlier signers. Without `signer`, no signatures are verified. */
  readonly earlierKeys?: readonly string[] | undefined;
  /** A store that keeps the checkpoints outside the database, too. @default checkpoints are kept only in the database */
  readonly store?: CheckpointStore | undefined;
  /**
   * The first sweep checks only sessions that ended at this time or later. Later sweeps choose the time themselves: an hour before the start of
   * the last complete sweep. If that sweep could not record a session that ended earlier, they begin with the end of that session.
   * @default all sessions that Temporal still has
   */
  readonly endedAfter?: Date | undefined;
  /** The pause from the end of a job to its next start, in milliseconds. */
  readonly everyMs: Readonly<Record<KeeperJob, number>>;
  /** Receives the keeper's events. */
  readonly onEvent: (event: KeeperEvent) => void;
  /** Stops the keeper when it aborts. Running jobs end first, or are aborted. */
  readonly signal: AbortSignal;
}

/** An event that a keeper reports. */
export type KeeperEvent =
  | {
      readonly kind: 'checkpointed';
      readonly size: number;
      readonly added: number;
      /** The number of deleted rows that waited for a place, but whose entry does not exist or already has a place. */
      readonly skipped: number;
    }
  | {
      readonly kind: 'swept';
      readonly looked: number;
      readonly mended: number;
      /** The number of sessions that could not be recorded. `SweptSession.left` lists the possible reasons. */
      readonly unrecorded: number;
    }
  /** Follows the event `swept`, at the end of a sweep. */
  | {
      readonly kind: 'counted';
      /** The number of payments whose money is late. */
      readonly late: number;
      /** The number of payments whose money came back and that wait for a person's decision. */
      readonly returned: number;
      /** The number of lines of reconciliation files that wait for a match or an explanation. */
      readonly unmatched: number;
    }
  | { readonly kind: 'verified'; readonly entries: number; readonly waiting: number }
  /** A verification has found a fault. */
  | { readonly kind: 'faulty'; readonly fault: LedgerFault }
  /** A job has failed, and is tried again soon. */
  | { readonly kind: 'failed'; readonly job: KeeperJob; readonly code: string; readonly message: string };

/** The longest pause after a failed job. */
const RETRY_AFTER_MS = 30_000;
/** A sweep checks sessions from this long before the previous sweep's start. Temporal's index may lag, and the machines' clocks may differ. */
const SWEEP_OVERLAP_MS = 60 * 60_000;

/**
 * Runs the jobs of a ledger's keeper until the signal aborts. The jobs sign and store checkpoints, record missing entries of ended sessions,
 * and verify the ledger. Each job runs at once, and then at its interval. If a job fails, the keeper reports that and tries the job again. The
 * other jobs go on.
 *
 * @example
 * ```ts
 * const everyMs = { checkpoint: 60_000, sweep: 3_600_000, verify: 86_400_000 };
 * const signal = AbortSignal.timeout(86_400_000);
 * await keepLedger({ ledger, client, signer, everyMs, signal, onEvent: (event) => console.log(event) });
 * ```
 */
export async function keepLedger(options: KeepOptions): Promise<void> {
  const { signer } = options;
  await Promise.all([
    signer && repeat(options, 'checkpoint', () => checkpoint(options, signer)),
    repeat(options, 'sweep', sweeper(options)),
    repeat(options, 'verify', () => verify(options)),
  ]);
}

async function repeat(
  { everyMs, onEvent, signal }: KeepOptions,
  job: KeeperJob,
  work: () => Promise<void>,
): Promise<void> {
  const isOver = (): boolean => signal.aborted;
  while (!isOver()) {
    let pauseMs = everyMs[job];
    try {
      await work();
    } catch (error) {
      if (isOver()) return;
      onEvent({ kind: 'failed', job, ...described(toPaysessionError('', error)) });
      pauseMs = Math.min(pauseMs, RETRY_AFTER_MS);
    }
    do {
      await sleep(Math.min(pauseMs, LONGEST_TIMER_MS), undefined, { signal }).catch(() => undefined);
      pauseMs -= LONGEST_TIMER_MS;
    } while (pauseMs > 0 && !isOver());
  }
}

async function checkpoint({ ledger, store, onEvent }: KeepOptions, signer: CheckpointSigner): Promise<void> {
  const { note, size, added, skipped } = await ledger.checkpoint(signer, await store?.newest());
  await store?.add(note);
  onEvent({ kind: 'checkpointed', size, added, skipped });
}

function sweeper(options: KeepOptions): () => Promise<void> {
  const { ledger, client, onEvent, signal } = options;
  let { endedAfter } = options;
  return async () => {
    const next = new Date(Math.max(Date.now() - SWEEP_OVERLAP_MS, endedAfter?.getTime() ?? 0));
    let [looked, mended, unrecorded] = [0, 0, 0];
    // The end of the oldest session that this sweep cannot record. The next sweep begins there.
    let oldestLeftMs = Infinity;
    for await (const { added, left, endedAt } of sweepLedger({ client, ledger, endedAfter })) {
      looked += 1;
      if (added > 0) mended += 1;
      if (left !== undefined) {
        unrecorded += 1;
        oldestLeftMs = Math.min(oldestLeftMs, endedAt.getTime());
      }
      signal.throwIfAborted();
    }
    endedAfter = new Date(Math.min(next.getTime(), oldestLeftMs));
    onEvent({ kind: 'swept', looked, mended, unrecorded });
    const [late, returned, unmatched] = await Promise.all([
      ledger.payments.totals({ late: true }),
      ledger.payments.totals({ money: 'returned', waiting: true }),
      ledger.unmatched.totals(),
    ]);
    onEvent({ kind: 'counted', late: late.count, returned: returned.count, unmatched: unmatched.count });
  };
}

async function verify(options: KeepOptions): Promise<void> {
  const { ledger, signer, earlierKeys = [], store, onEvent, signal } = options;
  const verifierKey = signer && [signer.verifierKey, ...earlierKeys];
  const since = await store?.newest();
  const { fault, entries, waiting } = await ledger.verify({ since, verifierKey, signal });
  onEvent(fault === undefined ? { kind: 'verified', entries, waiting } : { kind: 'faulty', fault });
}
