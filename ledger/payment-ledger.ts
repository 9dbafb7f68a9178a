import { KeyRing, type EncryptionKeys, type EncryptionKeySource } from '../src/encryption';
import type {
  ClaimOf,
  LedgerClaim,
  LedgerClaimAnswer,
  LedgerEntry,
  LedgerFact,
} from '../src/protocol/ledger/facts';
import { claimsOf, standingClaim, type KnownClaim } from '../src/protocol/ledger/fold';
import { claimedLate, factsOfClaim, judgeClaim, ownClaim } from './judge-claim';
import { EntryLog, type Keyed } from './entry-log';
import { makeCheckpoint, type MadeCheckpoint, proveEntry, type EntryProof } from './log/checkpoints';
import type { CheckpointSigner } from './log/signed-note';
import { verifyLedger, type VerifiedLedger, type VerifyOptions } from './log/verify';
import { LedgerNamespaces } from './namespaces';
import { WebhookDeliveries } from './webhooks/deliveries';
import { UnmatchedLines, type ExplainedOutcome } from './reconciliation/unmatched-lines';
import { WebhookEndpoints } from './webhooks/endpoints';
import { OpsConditions } from './webhooks/ops-conditions';
import { WebhookOutbox } from './webhooks/outbox';
import { LedgerPayments } from './sessions/ledger-payments';
import { LedgerDatabase } from './postgres/database';
import type { ReconciledLine } from './reconciliation/match';
import { reconcile, type ReconcileOptions } from './reconciliation/reconcile';
import { rewrapKeys, type RewrapProgress } from './rewrap';
import { checkSchema } from './postgres/migrate';
import { listFailures, PaysessionError } from '../src/errors';
import type { TextPieces } from './reconciliation/read-file';
import { dayOf } from '../src/contract/values/day';
import { differingPaths, textFailures } from '../src/protocol/input';
import { MAX_DECIDER_LENGTH, MAX_REASON_LENGTH } from '../src/protocol/decisions';

/** Options of a {@link PaymentLedger}. */
export interface PaymentLedgerOptions {
  /** The URL of a PostgreSQL database, such as `postgresql://USER:PASSWORD@HOST/DATABASE?sslmode=verify-full`. */
  readonly url: string;
  /**
   * The name of the environment. Several environments, such as production and test, can share a database. A key is unique in its environment.
   * @default 'default', like Temporal's namespace
   */
  readonly environment?: string;
  /**
   * The ledger encrypts each session's personal data with a key of that session. These options are the keys that encrypt ("wrap") the
   * sessions' keys. @default the sessions' keys are stored as they are
   */
  readonly encryption?: EncryptionKeys | EncryptionKeySource | undefined;
  /** The number of business days, 1 to 60, within which the money of a payment should arrive. After these days, the money is late. @default 5 */
  readonly lateAfterDays?: number | undefined;
  /** The time zone in which business days are counted: a name of the IANA time zone database. @default 'UTC' */
  readonly timeZone?: string | undefined;
  /** Returns the current time in milliseconds since the epoch. @default the machine's clock */
  readonly now?: (() => number) | undefined;
}

/** The time for which a check of the tables' version stays valid, in milliseconds. */
const CHECKED_FOR_MS = 30_000;

/**
 * The ledger: a record of payment sessions in PostgreSQL that lasts longer than Temporal's histories.
 *
 * For each session key, the ledger has a list of entries. An entry records one fact, such as a claim, a state or an end. A claim records that
 * the key belongs to one workflow. Entries are only added, never changed.
 *
 * Methods throw {@link PaysessionError} with these codes:
 *
 * - `LEDGER_UNAVAILABLE` if the PostgreSQL server does not answer, and `LEDGER_REFUSED` if the server refuses a statement.
 * - `LEDGER_DATABASE_UNFIT`, `LEDGER_SCHEMA_OUTDATED` or `LEDGER_SCHEMA_NEWER` if the database or its tables do not fit this version.
 * - `ENCRYPTION_KEY_MISSING`, `ENCRYPTION_REQUIRED` or `ENCRYPTION_TAMPERED` if a method cannot encrypt or decrypt personal data.
 * - `LEDGER_TAMPERED` if a method reads a session's entries, and they were changed after they had been written.
 *
 * @example
 * ```ts
 * const ledger = new PaymentLedger({ url: 'postgresql://USER:PASSWORD@HOST/DATABASE?sslmode=verify-full' });
 * const entries = await ledger.entriesOf('order-1234');
 * await ledger.close();
 * ```
 */
export class PaymentLedger {
  readonly #database: LedgerDatabase;
  readonly #ring: KeyRing | undefined;
  readonly #log: EntryLog;
  readonly #now: () => number;
  /** The name of the environment. A key is unique in its environment. */
  readonly environment: string;
  /** The webhooks that have not been delivered yet. */
  readonly webhooks: WebhookOutbox;
  /** The endpoints that receive webhooks. */
  readonly webhookEndpoints: WebhookEndpoints;
  /** The endpoints' answers to webhooks. */
  readonly webhookDeliveries: WebhookDeliveries;
  /** The conditions, such as a paused account, about which endpoints for operators receive messages. */
  readonly opsConditions: OpsConditions;
  /** Finds, sums and counts payments. */
  readonly payments: LedgerPayments;
  /** The lines of reconciliation files that match no payment, and the runs that have read them. */
  readonly unmatched: UnmatchedLines;
  /** The Temporal namespaces whose workers use this ledger. */
  readonly namespaces: LedgerNamespaces;
  #checkedAtMs = -Infinity;

  /**
   * Creates a ledger. The ledger connects to the database when a method is first called.
   *
   * @throws `MissingPackagesError` if the package `pg` is not installed
   * @throws {@link SettingsError} `INVALID_SETTINGS` if the URL is invalid, names several hosts, or has an unsupported parameter
   * @throws {@link SettingsError} `INVALID_SETTINGS` if an encryption key cannot be used, or if `timeZone` or `lateAfterDays` is invalid
   */
  constructor({ url, environment = 'default', encryption, now = Date.now, ...late }: PaymentLedgerOptions) {
    this.#database = new LedgerDatabase(url);
    this.environment = environment;
    this.#ring = encryption === undefined ? undefined : new KeyRing(encryption);
    this.#log = new EntryLog({ database: this.#database, environment, ring: this.#ring, now });
    this.#now = now;
    this.webhooks = new WebhookOutbox(this.#database, environment, this.#log);
    this.webhookEndpoints = new WebhookEndpoints(this.#database, environment);
    this.webhookDeliveries = new WebhookDeliveries(this.#database, environment, now);
    this.payments = new LedgerPayments(this.#database, { ...late, environment, now });
    this.unmatched = new UnmatchedLines(this.#database, environment);
    this.opsConditions = new OpsConditions(this.#database, environment);
    this.namespaces = new LedgerNamespaces(this.#database, environment);
  }

  /** True if the option `encryption` is set. */
  get isEncrypted(): boolean {
    return this.#ring !== undefined;
  }

  /**
   * Checks that the database answers, and that its tables have the version that this package needs.
   *
   * @throws {@link PaysessionError} `LEDGER_SCHEMA_OUTDATED` if migrations are missing
   * @throws {@link PaysessionError} `LEDGER_SCHEMA_NEWER` if a later version of this package has migrated the tables
   * @throws {@link PaysessionError} `LEDGER_DATABASE_UNFIT` if the database is not in UTF-8, or runs no triggers for this role
   *
   * @example
   * ```ts
   * await ledger.check(); // throws at once, before the first payment, if a migration is missing
   * ```
   */
  async check(): Promise<void> {
    await checkSchema(this.#database);
    this.#checkedAtMs = performance.now();
  }

  /**
   * Claims a key for a workflow. A worker calls this before it sends the create request. A workflow may claim its own key again.
   *
   * @throws {@link PaysessionError} `LEDGER_UNAVAILABLE` if it is unknown whether the claim was recorded. The worker then sends no create
   * request
   */
  async claim(claim: LedgerClaim): Promise<LedgerClaimAnswer> {
    await this.#checkNowAndThen();
    const { answer } = await this.#log.appendClaim(
      claim.key,
      (claims, keyed) => judgeClaim(claims, withKeyed(claim, keyed)),
      { isNew: true },
    );
    if (answer.outcome === 'conflict') return this.#conflictWith(claim);
    if (answer.outcome !== 'ended') return answer;
    const end = await this.#standingFact(claim.key, 'ended');
    // If the result was erased, it cannot be returned.
    if (end?.kind !== 'ended' || end.result === undefined) return { outcome: 'conflict' };
    return { outcome: 'ended', result: end.result };
  }

  /** Returns a conflict with the paths at which the request differs from the recorded one. If the recorded one is erased, without paths. */
  async #conflictWith({ key, account, request }: LedgerClaim): Promise<LedgerClaimAnswer> {
    const other = await this.#standingFact(key, 'claimed');
    if (other?.kind !== 'claimed' || other.request === undefined) return { outcome: 'conflict' };
    const differences = differingPaths(
      { account, request },
      { account: other.account, request: other.request },
    );
    return { outcome: 'conflict', ...(differences.length > 0 && { differences }) };
  }

  /** Reads the fact `claimed` or `ended` of the claim that currently has the key, including personal data. */
  async #standingFact(key: string, kind: 'claimed' | 'ended'): Promise<LedgerFact | undefined> {
    const session = await this.#log.read(key);
    const standing = standingClaim(claimsOf(session.entries));
    const entry = session.entries.findLast(
      ({ claim, fact }) => claim === standing?.number && fact.kind === kind && fact.at === standing[kind]?.at,
    );
    return entry && this.#log.reveal(session, entry);
  }

  /**
   * Records facts for a workflow's claim in the given order. Returns the number of new entries: a fact that is already recorded adds none.
   * Returns `undefined` if the workflow has no claim. In that case, use {@link PaymentLedger.recordEnded}, which adds a claim.
   *
   * @throws {@link PaysessionError} `SESSION_FOLLOWED` if a claim of another key has the session
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
   * Records facts for a workflow. If the workflow has no claim, adds one: perhaps the ledger did not answer, or was not in use yet, when the
   * workflow started. Returns the number of new entries.
   *
   * If another workflow's claim has the key, two kinds of workflows get no claim: a workflow that only returned the result of the other one,
   * and a workflow that never created a session.
   *
   * @throws {@link PaysessionError} `SESSION_FOLLOWED` if a claim of another key has the session
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

  /** Returns the ends that are recorded for these keys. */
  async endsAmong(keys: readonly string[]): Promise<readonly LedgerEndOf[]> {
    await this.#checkNowAndThen();
    return this.#database.query<LedgerEndOf>(
      `select key, ended_at as at from paysession_ledger.claims
        where environment = $1 and key = any (select jsonb_array_elements_text($2::jsonb)) and ended_at is not null`,
      [this.environment, JSON.stringify(keys)],
    );
  }

  /**
   * Returns the key whose claim has this session of the payment service. Returns `undefined` if no claim has the session.
   *
   * @example
   * ```ts
   * const key = await ledger.followerOf('3f3ff2a1-95a0-4cf1-8bbd-3ad7a1d3a2a1');
   * ```
   */
  async followerOf(sessionId: string): Promise<string | undefined> {
    await this.#checkNowAndThen();
    return this.#log.keyOf(sessionId);
  }

  /** Returns the time of the newest entry, by the database's clock. Returns `undefined` if there are no entries. */
  async newestAt(): Promise<Date | undefined> {
    await this.#checkNowAndThen();
    const [row] = await this.#database.query<{ readonly at: Date | null }>(
      'select max(written_at) as at from paysession_ledger.entries where environment = $1',
      [this.environment],
    );
    return row?.at ?? undefined;
  }

  /**
   * Returns a session's entries, oldest first, including personal data. Returns an empty list if the ledger does not know the key.
   *
   * @throws {@link PaysessionError} `LEDGER_TAMPERED` if the entries were changed after they had been written
   * @throws {@link PaysessionError} `ENCRYPTION_REQUIRED`, `ENCRYPTION_KEY_MISSING` or `ENCRYPTION_TAMPERED` if personal data cannot be
   * decrypted
   *
   * @example
   * ```ts
   * for (const { recordedAt, fact } of await ledger.entriesOf('order-1042')) console.log(recordedAt, fact.kind);
   * ```
   */
  async entriesOf(key: string): Promise<readonly LedgerEntry[]> {
    await this.#checkNowAndThen();
    return this.#log.revealAll(await this.#log.read(key));
  }

  /**
   * Adds all new entries to the log, and signs a checkpoint over the log. The log is a Merkle tree of all entries. A checkpoint is a signed
   * note with the log's size and its root hash, so a later change of an entry can be detected. Keep checkpoints where the database's
   * administrator cannot change them.
   *
   * @param after earlier checkpoints that you kept. Pass at least the newest one. Without it, a log that was rewritten may be signed
   * @throws {@link PaysessionError} `LEDGER_TAMPERED` if one of `after` is not a checkpoint, or if the log has not grown from these
   * checkpoints and from the later ones in the database. Without `after`, only the newest checkpoint in the database counts. Nothing is signed
   *
   * @example
   * ```ts
   * const signer = readSigningKey(process.env['SIGNING_KEY'] ?? '');
   * if (signer === undefined) throw new Error('no signing key');
   * const { note } = await ledger.checkpoint(signer, await readFile('newest-checkpoint.txt', 'utf8'));
   * await writeFile('newest-checkpoint.txt', note);
   * ```
   */
  async checkpoint(signer: CheckpointSigner, after?: string | readonly string[]): Promise<MadeCheckpoint> {
    await this.#checkNowAndThen();
    return makeCheckpoint(this.#database, signer, after);
  }

  /**
   * Returns a proof that an entry is in the log of the last checkpoint. Returns `undefined` if that checkpoint does not cover the entry.
   *
   * @param number the entry's number among the session's entries. @default the last entry that the checkpoint covers
   * @throws {@link PaysessionError} `LEDGER_TAMPERED` if the log lacks an entry that the checkpoint covers
   *
   * @example
   * ```ts
   * const proof = await ledger.prove('order-1042');
   * if (proof !== undefined) await writeFile('order-1042.tlog-proof', proof.proof);
   * ```
   */
  async prove(key: string, number?: number): Promise<EntryProof | undefined> {
    await this.#checkNowAndThen();
    return proveEntry(this.#database, { environment: this.environment, key, number });
  }

  /**
   * Verifies the whole ledger. Compares the entries with their hashes, the log with its checkpoints, the tables that are derived from the
   * entries with the entries, and the schema with the expected one. If there is a difference, returns one of them as `fault`. Changes nothing.
   *
   * @example
   * ```ts
   * const { entries, fault } = await ledger.verify({ since: await readFile('newest-checkpoint.txt', 'utf8') });
   * if (fault !== undefined) console.error(fault.kind, fault.message);
   * else console.log(`${entries} entries are as they were written`);
   * ```
   */
  async verify(options: VerifyOptions = {}): Promise<VerifiedLedger> {
    await this.#checkNowAndThen();
    return verifyLedger(this.#database, options);
  }

  /**
   * Erases a session's personal data for good, by destroying the key that encrypts them. Later entries of the session contain no personal data.
   * `by` and `reason` stay readable, so they must not name the payor. Returns false if the data had already been erased.
   *
   * @throws {@link PaysessionError} `SESSION_NOT_FOUND` if the ledger does not know the key
   * @throws {@link PaysessionError} `INVALID_INPUT` if `by` or `reason` is missing or too long
   *
   * @example
   * ```ts
   * await ledger.erase('order-1042', { by: 'Sam', reason: 'request of 2031-05-06' });
   * ```
   */
  async erase(key: string, { by, reason }: PersonAndReason): Promise<boolean> {
    checkNamed({ by, reason }, 'Nothing was erased');
    const fact: LedgerFact = { kind: 'erased', at: this.#time(), by, reason };
    await this.#checkNowAndThen();
    const { added } = await this.#log.append(key, (claims) => {
      const standing = standingClaim(claims);
      if (standing === undefined) throw unknownKey(key);
      // All sessions of a key share one encryption key, so the erasure is recorded once for the key.
      const claim = claims.find(({ isErased }) => isErased)?.number ?? standing.number;
      return { add: [{ claim, fact }], answer: undefined };
    });
    return added > 0;
  }

  /**
   * Records what a person did about a payment whose money came back. The payment then stops waiting for a decision. `by` and `reason` are
   * encrypted as personal data. If the session's personal data were erased before, both are stored in plain text, so they must not name the
   * payor. Returns false if an action had already been recorded.
   *
   * @throws {@link PaysessionError} `SESSION_NOT_FOUND` if the ledger does not know the key
   * @throws {@link PaysessionError} `INVALID_INPUT` if no money of the key has come back
   * @throws {@link PaysessionError} `INVALID_INPUT` if several payments of the key wait for a decision, and `claim` is absent
   * @throws {@link PaysessionError} `INVALID_INPUT` if `by` or `reason` is missing or too long
   *
   * @example
   * ```ts
   * await ledger.handleReturn('order-1042', { by: 'Sam', reason: 'collected again as order-1042-2' });
   * ```
   */
  async handleReturn(key: string, { by, reason, claim }: HandledReturn): Promise<boolean> {
    checkNamed({ by, reason }, 'Nothing was recorded');
    const fact: LedgerFact = { kind: 'handled', at: this.#time(), by, reason };
    await this.#checkNowAndThen();
    const { added } = await this.#log.append(key, (claims) => ({
      add: returnWaiting({ key, claim }, claims).map(({ number }) => ({ claim: number, fact })),
      answer: undefined,
    }));
    return added > 0;
  }

  /**
   * Records a person's explanation of a line in a reconciliation file that matches no payment. The line then stops waiting, and the line's
   * reference is erased. `by` and `reason` stay readable, so they must not name the payor. If the line was already explained or matched, it
   * stays as it is.
   *
   * @param id the line's id, as `ledger.unmatched.page` returns it
   * @throws {@link PaysessionError} `SESSION_NOT_FOUND` if no line has the id
   * @throws {@link PaysessionError} `INVALID_INPUT` if `by` or `reason` is missing or too long
   */
  async explainLine(id: string, { by, reason }: PersonAndReason): Promise<ExplainedOutcome> {
    checkNamed({ by, reason }, 'Nothing was recorded');
    if (id.includes('\0')) throw unknownLine(id);
    await this.#checkNowAndThen();
    const outcome = await this.unmatched.explain(id, { by, reason, at: this.#time() });
    if (outcome === undefined) throw unknownLine(id);
    return outcome;
  }

  /**
   * Records one explanation for all waiting lines of a run. A run is one reading of a reconciliation file. Use this if, for instance, the run
   * has read a wrong file. Lines that a later run has read again are left out. Returns the number of explained lines.
   *
   * @param runId the run's id, as `ledger.unmatched.runs` returns it
   * @throws {@link PaysessionError} `INVALID_INPUT` if `by` or `reason` is missing or too long
   */
  async explainRun(runId: string, { by, reason }: PersonAndReason): Promise<number> {
    checkNamed({ by, reason }, 'Nothing was recorded');
    await this.#checkNowAndThen();
    return this.unmatched.explainRun(runId, { by, reason, at: this.#time() });
  }

  /**
   * Encrypts the keys of all sessions with the current encryption key, after you have changed it. Yields the progress after each batch. You can
   * stop a rewrap and start it again. Workers can run at the same time.
   *
   * @throws {@link SettingsError} `INVALID_SETTINGS` if no encryption keys are set
   * @throws {@link PaysessionError} `ENCRYPTION_KEY_MISSING` or `ENCRYPTION_TAMPERED` if a session's key cannot be decrypted. The keys of all
   * other sessions are encrypted first
   *
   * @example
   * ```ts
   * for await (const progress of ledger.rewrap()) console.log(progress);
   * ```
   */
  async *rewrap(): AsyncGenerator<RewrapProgress> {
    await this.#checkNowAndThen();
    const looked = yield* rewrapKeys({
      database: this.#database,
      environment: this.environment,
      ring: this.#ring,
    });
    // If nothing was found, the environment may be a wrong one. Without this error, an operator might delete an old key that is still needed.
    if (looked === 0) await this.namespaces.refuseUnused();
  }

  /**
   * Reads a reconciliation file of the payment service. For each line, finds the session, and records that the session's money has arrived or
   * has come back. A line that matches no session is kept in `unmatched`. A line is recorded only once, even if the service delivers the file
   * again, or you repeat a run that was stopped.
   *
   * Yields the lines in the order of the file, with one exception: in a file of more than 500 lines, a return may be yielded later if the
   * session's money has not arrived yet.
   *
   * @param file the CSV text, as a whole or in pieces
   * @throws {@link PaysessionError} `INVALID_FILE` if the file is empty, or its column titles are unreadable, missing or repeated
   * @throws `MissingPackagesError` if the package `csv-parse` is not installed
   * @throws {@link SettingsError} `INVALID_SETTINGS` if workers use other environments of this ledger and not this one. A dry run does not
   * check this
   *
   * @example
   * ```ts
   * const file = await readFile('reconciliation.csv', 'utf8');
   * for await (const { line, outcome, detail } of ledger.reconcile(file))
   *   if (outcome === 'unmatched') console.warn(line, detail);
   * ```
   */
  async *reconcile(file: TextPieces, options: ReconcileOptions = {}): AsyncGenerator<ReconciledLine> {
    await this.#checkNowAndThen();
    // If the environment is a wrong one, the file's lines would match nothing, and would wait there for ever.
    if (options.dryRun !== true) await this.namespaces.refuseUnused();
    yield* reconcile(
      { database: this.#database, environment: this.environment, log: this.#log, now: this.#now },
      file,
      options,
    );
  }

  /** Closes the ledger's connections. */
  async close(): Promise<void> {
    await this.#database.close();
  }

  async #checkNowAndThen(): Promise<void> {
    if (performance.now() - this.#checkedAtMs >= CHECKED_FOR_MS) await this.check();
  }

  #time(): string {
    return new Date(this.#now()).toISOString();
  }
}

/**
 * Returns a claim in the form that the ledger stores. Its `fingerprint` is computed when it is first used: it is the digest of the request,
 * keyed with the session's own encryption key.
 */
const withKeyed = (claim: LedgerClaim, keyed: Keyed): LedgerClaim => ({
  ...claim,
  get fingerprint() {
    return keyed(claim.fingerprint);
  },
});

/** The recorded end of a session. `at` is the time of the workflow's last step. */
export interface LedgerEndOf {
  readonly key: string;
  readonly at: Date;
}

/** A person's name and reason, which the ledger records with an action. */
export interface PersonAndReason {
  /** The name of the person. 1 to 200 characters. */
  readonly by: string;
  /** The reason of an erasure, the action on returned money, or the explanation of a line. 1 to 500 characters. */
  readonly reason: string;
}

/** A person's action on money that came back. */
export interface HandledReturn extends PersonAndReason {
  /** The number of the payment's claim. Needed if several payments of the key wait for a decision. @default the only waiting payment */
  readonly claim?: number | undefined;
}

/** Throws `INVALID_INPUT` if `by` or `reason` is missing or too long. */
function checkNamed({ by, reason }: PersonAndReason, otherwise: string): void {
  const failures = [
    ...textFailures('by', by, MAX_DECIDER_LENGTH),
    ...textFailures('reason', reason, MAX_REASON_LENGTH),
  ];
  if (failures.length > 0)
    throw new PaysessionError('INVALID_INPUT', `${otherwise}: ${listFailures(failures)}.`);
}

/**
 * Returns the claim whose returned money waits for a person. Returns an empty list if a person has handled all returns. Throws
 * `SESSION_NOT_FOUND`, or `INVALID_INPUT` if no money came back or several claims wait.
 */
function returnWaiting(
  { key, claim }: { readonly key: string; readonly claim: number | undefined },
  claims: readonly KnownClaim[],
): readonly KnownClaim[] {
  if (claims.length === 0) throw unknownKey(key);
  const returned = claims.filter((one) => one.returned !== undefined && (claim ?? one.number) === one.number);
  const waiting = returned.filter(({ handled }) => handled === undefined);
  if (returned.length > 0 && waiting.length < 2) return waiting;
  const named = waiting.flatMap(({ number, returned: money }) =>
    money === undefined ? [] : `claim ${number} (${money.amount}, ${dayOf(money.at)})`,
  );
  const happened =
    named.length === 0
      ? `no money of "${key}"${claim === undefined ? '' : `, claim ${claim},`} has come back.`
      : `several payments of "${key}" came back. Name one: ${named.join(' or ')}.`;
  throw new PaysessionError('INVALID_INPUT', `Nothing was recorded: ${happened}`);
}

function unknownLine(id: string): PaysessionError {
  const remedy = 'Take the id from `paysession ledger unmatched`, and check PAYSESSION_LEDGER_ENVIRONMENT.';
  return new PaysessionError(
    'SESSION_NOT_FOUND',
    `Nothing was recorded: no line has the id "${id}". ${remedy}`,
  );
}

/** Returns the error `SESSION_NOT_FOUND` for a key that the ledger does not know. */
export function unknownKey(key: string): PaysessionError {
  const code = 'SESSION_NOT_FOUND';
  const remedy = 'Check the key, and PAYSESSION_LEDGER_ENVIRONMENT: by default it is the Temporal namespace.';
  return new PaysessionError(code, `The ledger knows no session with the key "${key}". ${remedy}`);
}
