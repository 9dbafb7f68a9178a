import type { ClaimFact } from '../../src/protocol/ledger/fold';
import type { EntryLog, SessionEntries } from '../entry-log';
import type { LedgerDatabase } from '../postgres/database';

/** Webhooks of one session that a sender has leased. */
export interface LeasedWebhooks {
  readonly endpoint: string;
  /** The fingerprint of the sender's settings of the endpoint. */
  readonly settings: string;
  readonly key: string;
  /** The numbers of the first and the last entry to deliver. */
  readonly from: number;
  readonly to: number;
  /** The number of times that the first of these entries was refused; refused probes do not count. */
  readonly attempts: number;
  readonly lease: string;
  /** True if the endpoint is down and this delivery shows whether it still is. */
  readonly isProbe: boolean;
}

/** A sender's request for webhooks of an endpoint. */
export interface Asked {
  readonly endpoint: string;
  /** The fingerprint of the sender's settings of the endpoint. */
  readonly settings: string;
  /** The number of sessions that the sender has room for. */
  readonly most: number;
}

/** The duration of a lease. Senders renew their leases. After a lost sender's lease has ended, another sender takes its webhooks. */
const LEASE = "interval '15 seconds'";
/** If a probe of an endpoint is overdue by this long, no sender has tried the endpoint, so its time down begins again. */
const UNTRIED = "interval '1 hour'";

/**
 * The webhooks that endpoints have not received yet: one row for each session and endpoint. All methods throw the errors of
 * `LedgerDatabase`. `read` and `reveal` also throw `LEDGER_TAMPERED` and the errors of decryption.
 */
export class WebhookOutbox {
  readonly #database: LedgerDatabase;
  readonly #environment: string;
  readonly #log: EntryLog;

  constructor(database: LedgerDatabase, environment: string, log: EntryLog) {
    this.#database = database;
    this.#environment = environment;
    this.#log = log;
  }

  /**
   * Leases webhooks that are due. Leases none for a failing endpoint. For an endpoint that is down, leases only those of one session, and
   * only when a probe is due.
   */
  async take(asked: readonly Asked[], lease: string): Promise<readonly LeasedWebhooks[]> {
    const rows = await this.#database.query<Omit<LeasedWebhooks, 'lease'>>(TAKE, [
      this.#environment,
      JSON.stringify(asked),
      lease,
    ]);
    return rows.map((row) => ({ ...row, lease }));
  }

  /** Renews leases. */
  async renew(leased: Iterable<LeasedWebhooks>): Promise<void> {
    const rows = [...leased].map(({ endpoint, key, lease }) => ({ endpoint, key, lease }));
    if (rows.length > 0) await this.#database.query(RENEW, [this.#environment, JSON.stringify(rows)]);
  }

  /** Reads the entries of a key. */
  async read(key: string): Promise<SessionEntries> {
    return this.#log.read(key);
  }

  /** Returns the entries with their personal parts, unless those are erased. */
  async reveal(session: SessionEntries): Promise<readonly ClaimFact[]> {
    return this.#log.revealAll(session);
  }

  /**
   * Records that a sender has finished the entries up to `number`. `isWhole` is false if the sender's settings filter out a message of
   * entry `number`. That entry is then left to senders with other settings, if settings in use have not finished it yet. Returns the number
   * of the last entry to deliver now, or `undefined` if this sender must stop: nothing is left for it, or it has lost its lease.
   */
  async done(
    leased: LeasedWebhooks,
    number: number,
    { isWhole = true }: { readonly isWhole?: boolean } = {},
  ): Promise<number | undefined> {
    const place = [...this.#placeOf(leased), number];
    if (!isWhole && (await this.#database.query(PASS, [...place, leased.settings])).length > 0)
      return undefined;
    if ((await this.#database.query(DELETE, place)).length > 0) return undefined;
    const [row] = await this.#database.query<{ to_number: number }>(ADVANCE, place);
    return row !== undefined && row.to_number > number ? row.to_number : undefined;
  }

  /** Schedules another attempt for the entry `from` and all later ones. `attempts` is the number of refusals of that entry. */
  async refused(
    leased: LeasedWebhooks,
    { from, attempts, waitMs }: { readonly from: number; readonly attempts: number; readonly waitMs: number },
  ): Promise<void> {
    await this.#database.query(
      `update paysession_ledger.webhook_outbox
        set from_number = $5, lease = null, attempts = $6, due_at = now() + $7 * interval '1 millisecond',
          passed = case when from_number = $5 then passed else '{}' end
        where ${LEASED}`,
      [...this.#placeOf(leased), from, attempts, waitMs],
    );
  }

  /** Ends the lease, so that senders continue with the first entry that is not done: at once, or after a wait. */
  async release(leased: LeasedWebhooks, waitMs = 0): Promise<void> {
    await this.#database.query(
      `update paysession_ledger.webhook_outbox set lease = null, due_at = now() + $5 * interval '1 millisecond' where ${LEASED}`,
      [...this.#placeOf(leased), waitMs],
    );
  }

  /** Records that a sender has given up an entry. `WebhookEndpoints.replay` sends it again, with all later entries. */
  async givenUp(leased: LeasedWebhooks, number: number): Promise<void> {
    await this.#database.query(
      `update paysession_ledger.webhook_outbox set missed_from = least(missed_from, $5) where ${LEASED}`,
      [...this.#placeOf(leased), number],
    );
  }

  /** The parameters of `LEASED`. */
  #placeOf({ endpoint, key, lease }: LeasedWebhooks): readonly string[] {
    return [this.#environment, endpoint, key, lease];
  }
}

const LEASED = 'environment = $1 and endpoint = $2 and key = $3 and lease = $4';

/**
 * Leases rows whose first entry is not finished by the sender's settings (`passed`), or is finished by all settings in use. Rows that have
 * been due longest come first. The row of a refused probe goes behind all rows that are due, so that the next probe takes another session:
 * a single faulty message must not keep an endpoint down.
 */
const TAKE = `
  with asked as (
    select e.name, a.settings, e.down_since is not null as is_probe, case when e.down_since is null then a.most else 1 end as most
    from jsonb_to_recordset($2::jsonb) as a (endpoint text, settings text, most int)
    join paysession_ledger.webhook_endpoints e
      on e.environment = $1 and e.name = a.endpoint and e.failing_since is null and (e.down_since is null or e.probe_at <= now())
  ), probed as (
    update paysession_ledger.webhook_endpoints e set probe_at = now() + ${LEASE},
      down_since = case when probe_at < now() - ${UNTRIED} then now() else down_since end
    from asked
    where is_probe and e.environment = $1 and e.name = asked.name and e.probe_at <= now() returning e.name
  ), due as (
    select n.endpoint, n.key, asked.settings, asked.is_probe from asked cross join lateral (
      select endpoint, key from paysession_ledger.webhook_outbox o
      where environment = $1 and endpoint = asked.name and due_at <= now() and (
        asked.settings <> all (passed) or not exists (
          select 1 from paysession_ledger.webhook_settings s
          where s.environment = $1 and s.endpoint = asked.name and s.fingerprint <> all (o.passed)
        )
      )
      order by due_at limit asked.most for update skip locked
    ) n
    where not asked.is_probe or asked.name in (select name from probed)
  )
  update paysession_ledger.webhook_outbox n set lease = $3, due_at = now() + ${LEASE}
  from due where n.environment = $1 and n.endpoint = due.endpoint and n.key = due.key
  returning n.endpoint, due.settings, n.key, n.from_number as "from", n.to_number as "to", n.attempts, due.is_probe as "isProbe"`;

const RENEW = `
  update paysession_ledger.webhook_outbox n set due_at = now() + ${LEASE}
  from jsonb_to_recordset($2::jsonb) as leased (endpoint text, key text, lease text)
  where n.environment = $1 and n.endpoint = leased.endpoint and n.key = leased.key and n.lease = leased.lease`;

/** Leaves the entry `$5` to senders with settings other than `$6`, if any of these are in use and have not finished the entry. */
const PASS = `
  update paysession_ledger.webhook_outbox o
  set from_number = $5, lease = null, due_at = now(), attempts = case when from_number = $5 then attempts else 0 end,
    passed = case when from_number = $5 then passed else '{}' end || $6::text
  where ${LEASED} and exists (
    select 1 from paysession_ledger.webhook_settings s where s.environment = $1 and s.endpoint = $2 and s.fingerprint <> $6
      and (o.from_number <> $5 or s.fingerprint <> all (o.passed))
  ) returning 1 as one`;

/** Deletes a finished row. A session with an entry that was given up keeps its row. */
const DELETE = `
  delete from paysession_ledger.webhook_outbox
  where ${LEASED} and to_number <= $5 and missed_from is null returning 1 as one`;

const ADVANCE = `
  update paysession_ledger.webhook_outbox
  set from_number = $5 + 1, attempts = 0, passed = '{}',
    waits_since = coalesce(
      (select written_at from paysession_ledger.entries e where e.environment = $1 and e.key = $3 and e.number = $5 + 1), now()
    ),
    lease = case when to_number > $5 then lease end,
    due_at = case when to_number > $5 then now() + ${LEASE} else 'infinity' end
  where ${LEASED} returning to_number`;
