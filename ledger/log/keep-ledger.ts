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

/** A job that a keeper repeats. */
export type KeeperJob = 'checkpoint' | 'sweep' | 'verify';

/** Options of {@link keepLedger}. */
export interface KeepOptions {
  /** The ledger to keep in order. */
  readonly ledger: PaymentLedger;
  /** A client of the Temporal namespace whose sessions the ledger keeps. */
  readonly client: Client;
  /** Signs checkpoints. @default no checkpoints are made */
  readonly signer?: CheckpointSigner | undefined;
  /** The verifier keys of earlier signers, in addition to the signer's own. Without `signer`, no signatures are verified. */
  readonly earlierKeys?: readonly string[] | undefined;
  /** Keeps the checkpoints outside the database, too. @default they are kept in the database only */
  readonly store?: CheckpointStore | undefined;
  /**
   * The first sweep reads only sessions that ended at this time or later. For a later sweep, the time is an hour before the start of the
   * last complete sweep, or, if earlier, the end of the oldest session that the last sweep could not record. @default all that Temporal
   * keeps
   */
  readonly endedAfter?: Date | undefined;
  /** The milliseconds from the end of a job to its next start. */
  readonly everyMs: Readonly<Record<KeeperJob, number>>;
  /** Receives the keeper's events. */
  readonly onEvent: (event: KeeperEvent) => void;
  /** Stops the keeper. A job under way ends first, or is aborted. */
  readonly signal: AbortSignal;
}

/** An event that a keeper reports. */
export type KeeperEvent =
  | {
      readonly kind: 'checkpointed';
      readonly size: number;
      readonly added: number;
      /** Rows that waited for a place but belong to no entry, or to one that has a place. They were deleted. */
      readonly skipped: number;
    }
  | {
      readonly kind: 'swept';
      readonly looked: number;
      readonly mended: number;
      /** The sessions that could not be recorded, for any of the reasons of `SweptSession.left`. */
      readonly unrecorded: number;
    }
  /** Follows `swept`, and ends the sweep. */
  | {
      readonly kind: 'counted';
      /** Payments whose money is late. */
      readonly late: number;
      /** Payments whose money came back and that wait for a person's decision. */
      readonly returned: number;
      /** Lines of reconciliation files that wait for a match or an explanation. */
      readonly unmatched: number;
    }
  | { readonly kind: 'verified'; readonly entries: number; readonly waiting: number }
  /** A verification has found a fault. */
  | { readonly kind: 'faulty'; readonly fault: LedgerFault }
  /** A job failed and is tried again soon. */
  | { readonly kind: 'failed'; readonly job: KeeperJob; readonly code: string; readonly message: string };

/** The longest wait after a failed job. */
const RETRY_AFTER_MS = 30_000;
/** Temporal's index may be late, and clocks differ: each sweep begins this long before the start of the previous one. */
const SWEEP_OVERLAP_MS = 60 * 60_000;

/**
 * Keeps a ledger in order until the signal aborts. Signs checkpoints and stores them, records the missing entries of sessions that have ended,
 * and verifies the ledger. Each job runs at once and then at its interval. A failed job is reported and tried again, and stops no other job.
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
    // The next sweep checks again the sessions that this one could not record.
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
