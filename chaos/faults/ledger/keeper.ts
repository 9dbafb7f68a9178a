import { setTimeout as sleep } from 'node:timers/promises';
import { newSigningKey, PaymentLedger, readSigningKey, sweepLedger } from '../../../ledger';
import { codeOf, ERRORS_OF_RESTARTS } from '../episode/retry-until';
import type { World } from '../episode/world';
import type { Violation } from '../invariants/evidence';
import { checkVerified } from '../invariants/verified';
import { LEDGER_ENVIRONMENT } from '../processes/worker-messages';
import type { LedgerHost } from './ledger-host';

/** The interval of sweeps and checkpoints, in milliseconds. */
const EVERY_MS = 15_000;
/**
 * The overlap of two sweeps, in milliseconds. A sweep also includes workflows that ended up to this long before the previous sweep began,
 * because a clock may be wrong.
 */
const SWEPT_TWICE_MS = 30_000;
/** Codes of transient errors: the ledger or the Temporal server is restarting. */
const TRANSIENT = [...ERRORS_OF_RESTARTS, 'LEDGER_UNAVAILABLE'];
const REPEATS_AFTER_MS = 500;

/** A completed sweep. A sweep records ended workflows in the ledger. Times are milliseconds since 1970. */
export interface Sweep {
  readonly beganAtMs: number;
  readonly doneAtMs: number;
  /** The keys that the sweep could not read completely, perhaps because no worker answered for a terminated workflow. */
  readonly left: ReadonlySet<string>;
}

export interface KeeperOptions {
  /** The longest time for which the keeper repeats a request, in milliseconds. */
  readonly patienceMs: number;
  /** True if the keeper sweeps and makes checkpoints by itself, at intervals. @default true */
  readonly runsByItself?: boolean;
}

/** Maintains a ledger as the ledger's guide says: sweeps and makes checkpoints during the campaign, and verifies the ledger at the end. */
export class LedgerKeeper {
  /** Oldest first. */
  readonly sweeps: Sweep[] = [];
  readonly ledger: PaymentLedger;
  readonly figures = { checkpoints: 0, sweeps: 0, swept: 0 };
  readonly #world: World;
  readonly #patienceMs: number;
  readonly #signer = signer();
  /** The checkpoints, oldest first, as an auditor would keep them. */
  readonly #notes: string[] = [];
  /** The error codes of failed rounds (a sweep and a checkpoint). */
  readonly #failures: string[] = [];
  /** The time at which the last completed sweep began, in milliseconds since 1970. */
  #sweptAtMs = -Infinity;
  #sweeping: Promise<void> = Promise.resolve();
  #nextSweep: Promise<void> | undefined;
  readonly #over = new AbortController();
  readonly #rounds: Promise<void>;

  constructor(world: World, { ownUrl: url }: LedgerHost, { patienceMs, runsByItself = true }: KeeperOptions) {
    this.#world = world;
    this.#patienceMs = patienceMs;
    const encryption = () => Promise.resolve(world.keys());
    this.ledger = new PaymentLedger({ url, environment: LEDGER_ENVIRONMENT, encryption });
    this.#rounds = runsByItself ? this.#goRound() : Promise.resolve();
  }

  /**
   * Records all workflows that have ended since the last sweep in the ledger. Repeats this while the ledger or the Temporal server is
   * unavailable. If a sweep is already running, all calls share the next one.
   */
  sweep(): Promise<void> {
    this.#nextSweep ??= this.#sweeping
      .catch(() => undefined)
      .then(() => {
        this.#nextSweep = undefined;
        return this.patiently(() => this.#sweepOnce());
      });
    this.#sweeping = this.#nextSweep;
    return this.#nextSweep;
  }

  /** Records all ended workflows that the Temporal server still has. */
  async sweepAll(): Promise<void> {
    this.#sweptAtMs = -Infinity;
    await this.sweep();
  }

  /**
   * Repeats `ask` until the ledger and the Temporal server answer. Throws permanent errors. Also throws a transient error that lasts longer
   * than `patienceMs`.
   */
  async patiently<T>(ask: () => Promise<T>): Promise<T> {
    const untilMs = Date.now() + this.#patienceMs;
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!TRANSIENT.includes(codeOf(error)) || Date.now() > untilMs) throw error;
        await sleep(REPEATS_AFTER_MS);
      }
    }
  }

  /** Checks invariant (s). Ends the sweeps and checkpoints, and verifies the ledger with the first and with the last kept checkpoint. */
  async verify(): Promise<Violation[]> {
    await this.#endRounds();
    await this.patiently(() => this.#checkpoint());
    const { verifierKey } = this.#signer;
    const kept = [this.#notes.at(0), this.#notes.at(-1)];
    const verified = await Promise.all(
      kept.map((since) => this.patiently(() => this.ledger.verify({ since, verifierKey }))),
    );
    return checkVerified({ failures: this.#failures, verified, checkpoints: this.#notes.length });
  }

  /** Makes a checkpoint. Returns its signed text (the note), which an auditor would keep. */
  async note(): Promise<string> {
    const { note } = await this.patiently(() => this.ledger.checkpoint(this.#signer));
    return note;
  }

  /** Verifies the ledger, optionally with the kept checkpoint `since`. Returns the fault; `undefined` if there is none. */
  async fault(since?: string): Promise<string | undefined> {
    const { verifierKey } = this.#signer;
    const options = since === undefined ? {} : { since, verifierKey };
    const { fault } = await this.patiently(() => this.ledger.verify(options));
    return fault && `${fault.kind}: ${fault.message}`;
  }

  async close(): Promise<void> {
    await this.#endRounds();
    await this.ledger.close();
  }

  async #endRounds(): Promise<void> {
    this.#over.abort();
    await this.#rounds;
  }

  async #goRound(): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
      try {
        await this.sweep();
        await this.patiently(() => this.#checkpoint());
      } catch (error) {
        this.#failures.push(codeOf(error));
      }
    }
  }

  async #sweepOnce(): Promise<void> {
    const { client } = this.#world;
    const beganAtMs = Date.now();
    const endedAfter = this.#sweptAtMs === -Infinity ? undefined : new Date(this.#sweptAtMs - SWEPT_TWICE_MS);
    const left = new Set<string>();
    for await (const swept of sweepLedger({ client, ledger: this.ledger, endedAfter })) {
      this.figures.swept += swept.added;
      if (swept.left === 'unreadable') left.add(swept.key);
    }
    this.figures.sweeps += 1;
    this.sweeps.push({ beganAtMs, doneAtMs: Date.now(), left });
    this.#sweptAtMs = beganAtMs;
  }

  async #checkpoint(): Promise<void> {
    const { note } = await this.ledger.checkpoint(this.#signer, this.#notes.at(-1));
    // If the ledger has no new entries, it returns the previous checkpoint.
    if (note === this.#notes.at(-1)) return;
    this.#notes.push(note);
    this.figures.checkpoints += 1;
  }
}

function signer() {
  const read = readSigningKey(newSigningKey('faults.example/ledger'));
  if (read === undefined) throw new Error('a new key can be read');
  return read;
}
