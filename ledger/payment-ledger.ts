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
  /** The environment that the sessions belong to. A key is unique in it. @default 'default', like Temporal's namespace */
  readonly environment?: string;
  /** Wraps the keys of the sessions’ personal data. @default these keys are stored as they are */
  readonly encryption?: EncryptionKeys | EncryptionKeySource | undefined;
  /** The number of business days, 1 to 60, within which the money of a payment should arrive. After them, the money is late. @default 5 */
  readonly lateAfterDays?: number | undefined;
  /** The time zone in which these days are counted: a name of the IANA time zone database. @default 'UTC' */
  readonly timeZone?: string | undefined;
  /** Returns the current time in milliseconds since the epoch. @default the machine's clock */
  readonly now?: (() => number) | undefined;
}

/** The milliseconds for which a check of the tables' version stays valid. */
const CHECKED_FOR_MS = 30_000;

/**
 * The record of payment sessions that outlives Temporal's histories.
 *
 * Methods throw {@link PaysessionError}: `LEDGER_UNAVAILABLE` if the server does not answer, `LEDGER_REFUSED` if it refuses a
 * statement, `LEDGER_DATABASE_UNFIT`, `LEDGER_SCHEMA_OUTDATED` or `LEDGER_SCHEMA_NEWER` if the database or its tables do not fit this
 * version. Methods that read or write personal data throw `ENCRYPTION_KEY_MISSING`, `ENCRYPTION_REQUIRED` or `ENCRYPTION_TAMPERED` if they
 * cannot decrypt or encrypt them. Methods that read a session's entries throw `LEDGER_TAMPERED` if the entries are not those that were
 * written.
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
  /** The environment whose sessions the ledger keeps. A key is unique in it. */
  readonly environment: string;
  /** The webhooks that endpoints have not received yet. */
  readonly webhooks: WebhookOutbox;
  /** The endpoints that receive webhooks. */
  readonly webhookEndpoints: WebhookEndpoints;
  /** The endpoints' answers to webhooks. */
  readonly webhookDeliveries: WebhookDeliveries;
  /** The conditions that endpoints for operators receive messages about. */
  readonly opsConditions: OpsConditions;
  /** Finds, sums and counts payments. */
  readonly payments: LedgerPayments;
  /** The lines of reconciliation files that no payment matches, and the runs of reconciliations. */
  readonly unmatched: UnmatchedLines;
  /** The Temporal namespaces whose workers record here. */
  readonly namespaces: LedgerNamespaces;
  #checkedAtMs = -Infinity;

  /**
   * Connects with the first call of a method.
   *
   * @throws `MissingPackagesError` if `pg` is not installed
   * @throws {@link SettingsError} `INVALID_SETTINGS` if the URL is invalid, names several hosts, or has an unsupported parameter, if
   * an encryption key cannot be used, or if `timeZone` or `lateAfterDays` is invalid
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

  /** True if encryption keys are set, which wrap the keys of personal data. */
  get isEncrypted(): boolean {
    return this.#ring !== undefined;
  }

  /**
   * Checks that the ledger answers, and that its tables have the version that this package needs.
   *
   * @throws {@link PaysessionError} `LEDGER_SCHEMA_OUTDATED` if migrations are missing, `LEDGER_SCHEMA_NEWER` if a later version has
   * migrated the tables, `LEDGER_DATABASE_UNFIT` if the database is not in UTF-8 or runs no triggers for this role
   *
   * @example
   * ```ts
   * await ledger.check(); // before the first payment: a missing migration is reported here
   * ```
   */
  async check(): Promise<void> {
    await checkSchema(this.#database);
    this.#checkedAtMs = performance.now();
  }

  /**
   * Claims a key for a workflow, before the create request is sent. The workflow that has the claim may claim the key again.
   *
   * @throws {@link PaysessionError} `LEDGER_UNAVAILABLE` if the claim may not be recorded: send no create request then
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
    // An erased result cannot be returned.
    if (end?.kind !== 'ended' || end.result === undefined) return { outcome: 'conflict' };
    return { outcome: 'ended', result: end.result };
  }

  /** Returns a conflict. Adds the paths at which the request differs from the key's recorded request, unless that request is erased. */
  async #conflictWith({ key, account, request }: LedgerClaim): Promise<LedgerClaimAnswer> {
    const other = await this.#standingFact(key, 'claimed');
    if (other?.kind !== 'claimed' || other.request === undefined) return { outcome: 'conflict' };
    const differences = differingPaths(
      { account, request },
      { account: other.account, request: other.request },
    );
    return { outcome: 'conflict', ...(differences.length > 0 && { differences }) };
  }

  /** Reads the fact `claimed` or `ended` of the claim that answers for the key, with its personal part. */
  async #standingFact(key: string, kind: 'claimed' | 'ended'): Promise<LedgerFact | undefined> {
    const session = await this.#log.read(key);
    const standing = standingClaim(claimsOf(session.entries));
    const entry = session.entries.findLast(
      ({ claim, fact }) => claim === standing?.number && fact.kind === kind && fact.at === standing[kind]?.at,
    );
    return entry && this.#log.reveal(session, entry);
  }

  /**
   * Records facts of a workflow's claim in the given order, and returns the number of new entries. Known facts are not recorded again. Returns
   * `undefined` if the workflow has no claim: {@link PaymentLedger.recordEnded} makes one.
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
   * Records facts of a workflow, and makes its claim if it has none: the ledger may have been unavailable, or not yet in use, when the workflow
   * began. If another claim has the key, a workflow that only received that claim's end, or never created a session, gets no claim. Returns the
   * number of new entries.
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

  /** Returns the recorded ends of the keys' claims. */
  async endsAmong(keys: readonly string[]): Promise<readonly LedgerEndOf[]> {
    await this.#checkNowAndThen();
    return this.#database.query<LedgerEndOf>(
      `select key, ended_at as at from paysession_ledger.claims
        where environment = $1 and key = any (select jsonb_array_elements_text($2::jsonb)) and ended_at is not null`,
      [this.environment, JSON.stringify(keys)],
    );
  }

  /**
   * Returns the key whose claim has this session of the payment service; `undefined` if no claim has it.
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

  /** Returns the time of the newest entry, by the database's clock; `undefined` if there is no entry. */
  async newestAt(): Promise<Date | undefined> {
    await this.#checkNowAndThen();
    const [row] = await this.#database.query<{ readonly at: Date | null }>(
      'select max(written_at) as at from paysession_ledger.entries where environment = $1',
      [this.environment],
    );
    return row?.at ?? undefined;
  }

  /**
   * Returns a session's entries, oldest first, with their personal parts. Returns an empty list if the ledger does not know the key.
   *
   * @throws {@link PaysessionError} `LEDGER_TAMPERED` if the entries are not those that were written; `ENCRYPTION_REQUIRED`,
   * `ENCRYPTION_KEY_MISSING` or `ENCRYPTION_TAMPERED` if the personal parts cannot be decrypted
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
   * Adds all new entries to the log and signs a checkpoint over it. Keep the checkpoint where the database's administrator cannot change
   * it.
   *
   * @param after earlier checkpoints that you kept, one note each. Pass at least the newest: without it, a rewritten log may be signed
   * @throws {@link PaysessionError} `LEDGER_TAMPERED`, without signing, if one of `after` is not a checkpoint, or if the log did not grow
   * from each of them and from the later ones in the database; without `after`, from the newest in the database
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
   * Proves that an entry is in the log of the last checkpoint. Returns `undefined` if that checkpoint does not cover the entry.
   *
   * @param number the entry's number; by default the session's last entry that the checkpoint covers
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
   * Compares the entries with their hashes, the log with its checkpoints, the tables that follow from the entries, and the schema. Returns at
   * most one difference, as `fault`. Changes nothing.
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
   * Erases a session's personal data for good, by destroying the key that encrypts them. Later entries keep no personal data. The person and the
   * reason stay readable, so they must not name the payor. Returns false if the data were erased before.
   *
   * @throws {@link PaysessionError} `SESSION_NOT_FOUND` if the ledger does not know the key, `INVALID_INPUT` if the person or the reason is
   * missing or too long
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
      // All sessions of a key share one encryption key, so the fact is recorded once.
      const claim = claims.find(({ isErased }) => isErased)?.number ?? standing.number;
      return { add: [{ claim, fact }], answer: undefined };
    });
    return added > 0;
  }

  /**
   * Records a person's action on returned money of a session, so that the return no longer waits for a decision. The person and the action
   * are encrypted as personal data. If the session's data were erased before, both are stored in plain text, so they must not name the
   * payor. Returns false if an action was recorded before.
   *
   * @throws {@link PaysessionError} `SESSION_NOT_FOUND` if the ledger does not know the key, `INVALID_INPUT` if no money has come back, if
   * several returns of the key wait and `claim` names none, or if the person or the reason is missing or too long
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
   * Records a person's explanation of a line that no payment matches, so that the line no longer waits. The line's reference is erased. The
   * person and the explanation stay readable, so they must not name the payor. A line that was explained or matched before stays as it is.
   *
   * @param id the line's id, as `ledger.unmatched.page` returns it
   * @throws {@link PaysessionError} `SESSION_NOT_FOUND` if there is no such line, `INVALID_INPUT` if the person or the reason is missing or
   * too long
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
   * Records a person's explanation of all waiting lines that a run was the last to read, such as the run of a wrong file. Returns their number.
   *
   * @param runId the run's id, as `ledger.unmatched.runs` returns it
   * @throws {@link PaysessionError} `INVALID_INPUT` if the person or the reason is missing or too long
   */
  async explainRun(runId: string, { by, reason }: PersonAndReason): Promise<number> {
    checkNamed({ by, reason }, 'Nothing was recorded');
    await this.#checkNowAndThen();
    return this.unmatched.explainRun(runId, { by, reason, at: this.#time() });
  }

  /**
   * Wraps the keys of all sessions with the current encryption key, and yields the progress after each batch. A rewrap may be stopped and
   * run again, and may run while workers do.
   *
   * @throws {@link SettingsError} `INVALID_SETTINGS` if no encryption keys are set
   * @throws {@link PaysessionError} `ENCRYPTION_KEY_MISSING` or `ENCRYPTION_TAMPERED`, after all other keys, if a key cannot be unwrapped
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
    // Otherwise, an operator may delete an old key that other environments still need.
    if (looked === 0) await this.namespaces.refuseUnused();
  }

  /**
   * Matches each line of the payment service's reconciliation file with a session, and records that the session's money has arrived or come
   * back. Keeps a line without a match in `unmatched`. A line is recorded once, even if the file is delivered again or a stopped run is
   * repeated. Yields the lines in the order of the file. In a file of more than 500 lines, returns of sessions that have not settled come
   * later.
   *
   * @param file CSV, as a whole text or in pieces
   * @throws {@link PaysessionError} `INVALID_FILE` if the file is empty, or its titles are unreadable, missing or repeated
   * @throws `MissingPackagesError` if `csv-parse` is not installed
   * @throws {@link SettingsError} `INVALID_SETTINGS` if no worker records in this environment although workers record in others, unless it
   * is a dry run
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
    // The lines of a wrong environment would wait there for ever.
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

/** Returns a claim as the ledger keeps it. Its `fingerprint`, when it is read, is the request's digest keyed with the session's own key. */
const withKeyed = (claim: LedgerClaim, keyed: Keyed): LedgerClaim => ({
  ...claim,
  get fingerprint() {
    return keyed(claim.fingerprint);
  },
});

/** The end of a claim, with the time of its workflow's last step. */
export interface LedgerEndOf {
  readonly key: string;
  readonly at: Date;
}

/** The person who acts on a payment or a line, and the reason. */
export interface PersonAndReason {
  /** The person; 1 to 200 characters. */
  readonly by: string;
  /** The reason of an erasure, the action on returned money, or the origin of a line's money; 1 to 500 characters. */
  readonly reason: string;
}

/** A person's action on a return. */
export interface HandledReturn extends PersonAndReason {
  /** The number of the payment's claim. @default the only claim of the key whose return waits */
  readonly claim?: number | undefined;
}

/** Checks both texts. Throws `INVALID_INPUT` if one is missing or too long. */
function checkNamed({ by, reason }: PersonAndReason, otherwise: string): void {
  const failures = [
    ...textFailures('by', by, MAX_DECIDER_LENGTH),
    ...textFailures('reason', reason, MAX_REASON_LENGTH),
  ];
  if (failures.length > 0)
    throw new PaysessionError('INVALID_INPUT', `${otherwise}: ${listFailures(failures)}.`);
}

/** Returns the claim whose returned money waits for a person, or none if all is handled. Throws `SESSION_NOT_FOUND` or `INVALID_INPUT`. */
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
