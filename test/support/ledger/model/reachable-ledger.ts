import type { LedgerEntry, LedgerFact, PaymentLedger } from '../../../../ledger';
import type { ClaimOf, LedgerClaim, LedgerClaimAnswer } from '../../../../src/protocol/ledger/facts';
import { ledgerAway } from './attempt';

/** Observes the calls of workers and sweeps to the ledger. `before` and `after` are the key’s entries before and after a call. */
export interface LedgerObserver {
  /** Called after a claim. */
  readonly claimed: (
    environment: string,
    claimed: {
      readonly claim: LedgerClaim;
      readonly answer: LedgerClaimAnswer;
      readonly before: readonly LedgerEntry[];
    },
  ) => void;
  /** Called after an end was recorded. That call may also have claimed the key, if the claim was missing. */
  readonly recordedEnd: (
    environment: string,
    recorded: {
      readonly claim: LedgerClaim;
      readonly before: readonly LedgerEntry[];
      readonly after: readonly LedgerEntry[];
    },
  ) => void;
}

/** A worker’s connection to its ledger. A history can make it unavailable. */
export class ReachableLedger {
  readonly #ledger: PaymentLedger;
  readonly #isAway: () => boolean;
  readonly #observer: LedgerObserver;

  constructor(ledger: PaymentLedger, isAway: () => boolean, observer: LedgerObserver) {
    this.#ledger = ledger;
    this.#isAway = isAway;
    this.#observer = observer;
  }

  get namespaces(): PaymentLedger['namespaces'] {
    this.#reach();
    return this.#ledger.namespaces;
  }

  async check(): Promise<void> {
    this.#reach();
    await this.#ledger.check();
  }

  async claim(claim: LedgerClaim): Promise<LedgerClaimAnswer> {
    this.#reach();
    const before = await this.#ledger.entriesOf(claim.key);
    const answer = await this.#ledger.claim(claim);
    this.#observer.claimed(this.#ledger.environment, { claim, answer, before });
    return answer;
  }

  async record(claim: ClaimOf, facts: readonly LedgerFact[]): Promise<number | undefined> {
    this.#reach();
    return this.#ledger.record(claim, facts);
  }

  async recordEnded(claim: LedgerClaim, facts: readonly LedgerFact[]): Promise<number> {
    this.#reach();
    const before = await this.#ledger.entriesOf(claim.key);
    const added = await this.#ledger.recordEnded(claim, facts);
    const after = await this.#ledger.entriesOf(claim.key);
    this.#observer.recordedEnd(this.#ledger.environment, { claim, before, after });
    return added;
  }

  async followerOf(sessionId: string): Promise<string | undefined> {
    this.#reach();
    return this.#ledger.followerOf(sessionId);
  }

  async endsAmong(keys: readonly string[]): ReturnType<PaymentLedger['endsAmong']> {
    this.#reach();
    return this.#ledger.endsAmong(keys);
  }

  #reach(): void {
    if (this.#isAway()) throw ledgerAway();
  }
}
