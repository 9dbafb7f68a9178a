import { KeyRing, type EncryptionKeys, type EncryptionKeySource } from '../src/encryption';
import type {
  ClaimOf,
  LedgerClaim,
  LedgerClaimAnswer,
  LedgerEntry,
  LedgerFact,
} from '../src/protocol/ledger/facts';
import { claimsOf, standingClaim, type KnownClaim } from '../src/protocol/ledger/known-claim';
import { claimedLate, factsOfClaim, judgeClaim, ownClaim } from './claims';
import { EntryLog, type Keyed, type LedgerEndOf } from './entry-log';
import { makeCheckpoint, type MadeCheckpoint, proveEntry, type EntryProof } from './log/checkpoints';
import type { CheckpointSigner } from './log/signed-note';
import { verifyLedger, type VerifiedLedger, type VerifyOptions } from './log/verify';
import { LedgerNamespaces } from './namespaces';
import { WebhookEndpoints } from './webhooks/endpoints';
import { WebhookOutbox } from './webhooks/outbox';
import { LedgerPayments } from './sessions/ledger-payments';
import { LedgerDatabase } from './postgres/database';
import { reconcile, type ReconciledLine, type ReconcileOptions } from './reconciliation/reconcile';
import { rewrapKeys, type RewrapProgress } from './rewrap';
import { checkSchema } from './postgres/migrate';
import { listFailures, PaysessionError } from '../src/errors';
import type { TextPieces } from './reconciliation/read-file';
import { textFailures } from '../src/protocol/input';
import { MAX_DECIDER_LENGTH, MAX_REASON_LENGTH } from '../src/protocol/decisions';

/** Options of a `PaymentLedger`. */
export interface PaymentLedgerOptions {
  /** A PostgreSQL database, such as `postgresql://USER:PASSWORD@HOST/DATABASE?sslmode=verify-full`. */
  readonly url: string;
  /** Whose sessions these are: a key is unique in it. @default 'default', as Temporal's namespace */
  readonly environment?: string;
  /** Wraps the keys of the sessions’ personal data. @default they are stored as they are */
  readonly encryption?: EncryptionKeys | EncryptionKeySource | undefined;
  /** Milliseconds since the epoch. @default the machine's clock */
  readonly now?: (() => number) | undefined;
}

/** How long it holds that the tables are those of this version, in milliseconds. */
const CHECKED_FOR_MS = 30_000;

/**
 * The record of payment sessions that outlives Temporal's histories. All methods throw `PaysessionError`: `LEDGER_UNAVAILABLE`,
 * `LEDGER_REFUSED`, `LEDGER_SCHEMA_OUTDATED`, `LEDGER_SCHEMA_NEWER`; what is personal needs the keys, or throws `ENCRYPTION_KEY_MISSING`.
 */
export class PaymentLedger {
  readonly #database: LedgerDatabase;
  readonly #environment: string;
  readonly #ring: KeyRing | undefined;
  readonly #log: EntryLog;
  readonly #now: () => number;
  /** The webhooks that endpoints have not received yet. */
  readonly webhooks: WebhookOutbox;
  /** The endpoints that receive webhooks. */
  readonly webhookEndpoints: WebhookEndpoints;
  /** Finds, sums and counts payments. */
  readonly payments: LedgerPayments;
  /** The Temporal namespaces whose workers record here. */
  readonly namespaces: LedgerNamespaces;
  #checkedAtMs = -Infinity;

  /** Connects when it is first asked something. */
  constructor({ url, environment = 'default', encryption, now = Date.now }: PaymentLedgerOptions) {
    this.#database = new LedgerDatabase(url);
    this.#environment = environment;
    this.#ring = encryption === undefined ? undefined : new KeyRing(encryption);
    this.#log = new EntryLog({ database: this.#database, environment, ring: this.#ring, now });
    this.#now = now;
    this.webhooks = new WebhookOutbox(this.#database, environment, this.#log);
    this.webhookEndpoints = new WebhookEndpoints(this.#database, environment);
    this.payments = new LedgerPayments(this.#database, environment);
    this.namespaces = new LedgerNamespaces(this.#database, environment);
  }

  /** Whose sessions it keeps: a key is unique in it. */
  get environment(): string {
    return this.#environment;
  }

  /** Whether the keys of personal data are wrapped with an encryption key. */
  get isEncrypted(): boolean {
    return this.#ring !== undefined;
  }

  /** Asks whether the ledger answers and its tables are those of this version. */
  async check(): Promise<void> {
    await checkSchema(this.#database);
    this.#checkedAtMs = performance.now();
  }

  /** Claims a key for ever, before its create request is sent. The workflow that has claimed it may claim it again. */
  async claim(claim: LedgerClaim): Promise<LedgerClaimAnswer> {
    await this.#checkNowAndThen();
    const { answer } = await this.#log.appendClaim(
      claim.key,
      (claims, keyed) => judgeClaim(claims, withKeyed(claim, keyed)),
      { isNew: true },
    );
    if (answer.outcome !== 'ended') return answer;
    const session = await this.#log.read(claim.key);
    const standing = standingClaim(claimsOf(session.entries));
    const end = session.entries.findLast(
      ({ claim: number, fact }) =>
        number === standing?.number && fact.kind === 'ended' && fact.at === standing.ended?.at,
    );
    const fact = end && (await this.#log.reveal(session, end));
    // Without its result it has been erased: nobody can say any more how the session ended.
    if (fact?.kind !== 'ended' || fact.result === undefined) return { outcome: 'conflict' };
    return { outcome: 'ended', result: fact.result };
  }

  /**
   * Records facts of a workflow's claim, in this order, and gives how many; those that are known are not recorded again. Gives `undefined`
   * if the workflow has no claim: `recordEnded` makes it. Throws `PaysessionError` `SESSION_FOLLOWED`.
   */
  async record({ key, firstRunId }: ClaimOf, facts: readonly LedgerFact[]): Promise<number | undefined> {
    await this.#checkNowAndThen();
    const { answer, added } = await this.#log.append(key, (claims) => {
      const own = ownClaim(claims, firstRunId);
      return { add: own === undefined ? [] : factsOfClaim(claims, own, facts), answer: own !== undefined };
    });
    return answer ? added : undefined;
  }

  /**
   * Records facts of a workflow that may have no claim, as the ledger was away or there was none: makes it then. One that has only heard how
   * the key's session ended before gets none. Gives how many entries were added. Throws `PaysessionError` `SESSION_FOLLOWED`.
   */
  async recordEnded(claim: LedgerClaim, facts: readonly LedgerFact[]): Promise<number> {
    await this.#checkNowAndThen();
    const { added } = await this.#log.appendClaim(claim.key, (claims, keyed) => {
      const own = ownClaim(claims, claim.firstRunId);
      const add =
        own === undefined
          ? claimedLate(claims, withKeyed(claim, keyed), facts)
          : factsOfClaim(claims, own, facts);
      return { add, answer: undefined };
    });
    return added;
  }

  /** The ends that stand in the ledger of the keys' claims. */
  async endsAmong(keys: readonly string[]): Promise<readonly LedgerEndOf[]> {
    await this.#checkNowAndThen();
    return this.#log.endsAmong(keys);
  }

  /** The key whose session of the payment service this is; `undefined` if the ledger knows none. */
  async followerOf(sessionId: string): Promise<string | undefined> {
    await this.#checkNowAndThen();
    return this.#log.keyOf(sessionId);
  }

  /** Returns when the newest entry was written, by the database's clock; `undefined` if there is none. */
  async newestAt(): Promise<Date | undefined> {
    await this.#checkNowAndThen();
    const [row] = await this.#database.query<{ readonly at: Date | null }>(
      'select max(written_at) as at from paysession_ledger.entries where environment = $1',
      [this.#environment],
    );
    return row?.at ?? undefined;
  }

  /** A session's entries, the first first, with their personal parts; empty where the ledger does not know the key. */
  async entriesOf(key: string): Promise<readonly LedgerEntry[]> {
    await this.#checkNowAndThen();
    const session = await this.#log.read(key);
    const entries = session.entries.map(async (entry) => ({
      number: entry.number,
      claim: entry.claim,
      recordedAt: entry.recordedAt,
      fact: await this.#log.reveal(session, entry),
    }));
    return Promise.all(entries);
  }

  /**
   * Gives all new entries a place in the log, and signs a checkpoint over it, which is to be kept where the database's administrator
   * cannot change it.
   *
   * @param after checkpoints that were kept before: give at least the newest, or a log that was rewritten is signed
   * @throws {@link PaysessionError} `LEDGER_TAMPERED`, and signs nothing, if the log did not grow from each of them
   */
  async checkpoint(signer: CheckpointSigner, after?: string | readonly string[]): Promise<MadeCheckpoint> {
    await this.#checkNowAndThen();
    return makeCheckpoint(this.#database, signer, after);
  }

  /** Proves that an entry is in the log of the last checkpoint; `undefined` where that does not cover it. */
  async prove(key: string, number?: number): Promise<EntryProof | undefined> {
    await this.#checkNowAndThen();
    return proveEntry(this.#database, { environment: this.#environment, key, number });
  }

  /** Compares every row of every table with what must be there; `fault` is the first that differs. Changes nothing. */
  async verify(options: VerifyOptions = {}): Promise<VerifiedLedger> {
    await this.#checkNowAndThen();
    return verifyLedger(this.#database, options);
  }

  /**
   * Erases a session's personal data for good, by destroying the key that they are encrypted with; what is recorded later has none. Gives
   * false where they were erased before. Throws `PaysessionError` `SESSION_NOT_FOUND` or `INVALID_INPUT`.
   */
  async erase(key: string, erasure: Erasure): Promise<boolean> {
    const fact = erasedFact(erasure, new Date(this.#now()).toISOString());
    await this.#checkNowAndThen();
    const { added } = await this.#log.append(key, (claims) => {
      const standing = standingClaim(claims);
      if (standing === undefined) throw unknownKey(key);
      // The key's sessions share one key: the fact is recorded once.
      const claim = claims.find(({ isErased }) => isErased)?.number ?? standing.number;
      return { add: [{ claim, fact }], answer: undefined };
    });
    return added > 0;
  }

  /**
   * Records what a person has done about money of a session that came back: it no longer waits for a decision. Returns false if that was
   * recorded before. Throws `PaysessionError` `SESSION_NOT_FOUND`, or `INVALID_INPUT` if no money has come back.
   */
  async handleReturn(key: string, handled: HandledReturn): Promise<boolean> {
    const { by, reason } = handled;
    checkNamed(handled, 'Nothing was recorded');
    const fact: LedgerFact = { kind: 'handled', at: new Date(this.#now()).toISOString(), by, reason };
    await this.#checkNowAndThen();
    const { added } = await this.#log.append(key, (claims) => ({
      add: returnsWaiting(key, claims).map(({ number: claim }) => ({ claim, fact })),
      answer: undefined,
    }));
    return added > 0;
  }

  /**
   * Wraps the keys of all sessions with the current key, and tells after each batch how far it has come. May be stopped and run again, and
   * beside workers. Throws `SettingsError` without keys; `ENCRYPTION_KEY_MISSING` or `ENCRYPTION_TAMPERED` at the end, where one was left.
   */
  async *rewrap(): AsyncGenerator<RewrapProgress> {
    await this.#checkNowAndThen();
    yield* rewrapKeys({ database: this.#database, environment: this.#environment, ring: this.#ring });
  }

  /**
   * Matches each line of the payment service's reconciliation file, CSV as a text or in pieces of it, with a session, and records there that
   * its money has arrived or come back. A line is recorded once, however often the file is delivered; so may a run be stopped and run
   * again. Gives each line, in the order of the file; in a long file, returns of sessions that have not settled come last. Throws
   * `PaysessionError` `INVALID_FILE` where nothing can be read.
   */
  async *reconcile(file: TextPieces, options: ReconcileOptions = {}): AsyncGenerator<ReconciledLine> {
    await this.#checkNowAndThen();
    yield* reconcile(
      { database: this.#database, environment: this.#environment, log: this.#log, now: this.#now },
      file,
      options,
    );
  }

  /** Ends its connections. */
  async close(): Promise<void> {
    await this.#database.close();
  }

  async #checkNowAndThen(): Promise<void> {
    if (performance.now() - this.#checkedAtMs >= CHECKED_FOR_MS) await this.check();
  }
}

/** A claim as the ledger keeps it: the digest of its request is keyed once it is asked for. */
const withKeyed = (claim: LedgerClaim, keyed: Keyed): LedgerClaim => ({
  ...claim,
  get fingerprint() {
    return keyed(claim.fingerprint);
  },
});

/** A person's word on money that came back. Both texts are encrypted as personal data. */
export interface HandledReturn {
  /** Who says so; 1 to 200 characters. */
  readonly by: string;
  /** What was done; 1 to 500 characters. */
  readonly reason: string;
}

/** Who has a session's personal data erased, and why. Both stay readable in the ledger: they must not name the payor. */
export interface Erasure {
  /** 1 to 200 characters. */
  readonly by: string;
  /** 1 to 500 characters. */
  readonly reason: string;
}

/** The entry of an erasure. Throws `PaysessionError` `INVALID_INPUT` if no person is named, or no reason. */
function erasedFact({ by, reason }: Erasure, at: string): LedgerFact {
  checkNamed({ by, reason }, 'Nothing was erased');
  return { kind: 'erased', at, by, reason };
}

/** Throws `PaysessionError` `INVALID_INPUT` if a text is missing or too long. */
function checkNamed({ by, reason }: Erasure | HandledReturn, otherwise: string): void {
  const failures = [
    ...textFailures('by', by, MAX_DECIDER_LENGTH),
    ...textFailures('reason', reason, MAX_REASON_LENGTH),
  ];
  if (failures.length > 0)
    throw new PaysessionError('INVALID_INPUT', `${otherwise}: ${listFailures(failures)}.`);
}

/** The claims whose money came back and waits for a person. Throws `SESSION_NOT_FOUND`, or `INVALID_INPUT` if no money has come back. */
function returnsWaiting(key: string, claims: readonly KnownClaim[]): readonly KnownClaim[] {
  if (claims.length === 0) throw unknownKey(key);
  const returned = claims.filter((claim) => claim.returned !== undefined);
  if (returned.length > 0) return returned.filter((claim) => claim.handled === undefined);
  throw new PaysessionError('INVALID_INPUT', `Nothing was recorded: no money of "${key}" has come back.`);
}

/** `SESSION_NOT_FOUND`: the ledger knows nothing of a key. */
export function unknownKey(key: string): PaysessionError {
  const code = 'SESSION_NOT_FOUND';
  const remedy = 'Check the key, and PAYSESSION_LEDGER_ENVIRONMENT: by default it is the Temporal namespace.';
  return new PaysessionError(code, `The ledger knows no session with the key "${key}". ${remedy}`);
}
