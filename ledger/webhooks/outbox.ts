import type { ClaimFact } from '../../src/protocol/ledger/fold';
import type { EntryLog, SessionEntries } from '../entry-log';
import type { LedgerDatabase } from '../postgres/database';

/**
 * The outbox: the table of webhooks that endpoints have not received yet. It has a row for each session and endpoint.
 *
 * A sender is a process that delivers webhooks. It leases a row for a short time, so that no other sender delivers the row at the same time.
 * Senders may have different settings for an endpoint. A fingerprint distinguishes the settings.
 */

/** A row of the outbox that a sender has leased: the webhooks of one session for one endpoint. */
export interface LeasedWebhooks {
  readonly endpoint: string;
  /** The fingerprint of the sender's settings of the endpoint. */
  readonly settings: string;
  readonly key: string;
  /** The numbers of the first and the last entry to deliver. */
  readonly from: number;
  readonly to: number;
  /** The number of times that the endpoint has refused the first of these entries. Refused probes do not count. */
  readonly attempts: number;
  /** The id of the lease. */
  readonly lease: string;
  /** True if the endpoint is down, and this delivery tests if it accepts messages again. */
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

/** The duration of a lease. Running senders renew their leases. If a sender is lost, another sender takes its rows after this time. */
const LEASE = "interval '15 seconds'";
/** If the probe of an endpoint is overdue by this long, no sender has tried the endpoint. So the time for which it was down begins again. */
const UNTRIED = "interval '1 hour'";

/**
 * The webhooks that endpoints have not received yet. All methods throw the errors of `LedgerDatabase`. `read` and `reveal` also throw
 * `LEDGER_TAMPERED` and the errors of decryption.
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
   * Leases rows that are due. If an endpoint is failing, leases none of its rows. If an endpoint is down, leases a single row, and only when a
   * probe is due.
   */
  async take(asked: readonly Asked[], lease: string): Promise<readonly LeasedWebhooks[]> {
    const rows = await this.#database.query<Omit<LeasedWebhooks, 'lease'>>(TAKE, [
      this.#environment,
      JSON.stringify(asked),
      lease,
    ]);
    return rows.map((row) => ({ ...row, lease }));
  }

  /** Renews the leases of rows. */
  async renew(leased: Iterable<LeasedWebhooks>): Promise<void> {
    const rows = [...leased].map(({ endpoint, key, lease }) => ({ endpoint, key, lease }));
    if (rows.length > 0) await this.#database.query(RENEW, [this.#environment, JSON.stringify(rows)]);
  }

  /** Reads the entries of a key. */
  async read(key: string): Promise<SessionEntries> {
    return this.#log.read(key);
  }

  /** Returns the entries including personal data. If the personal data were erased, returns the entries without them. */
  async reveal(session: SessionEntries): Promise<readonly ClaimFact[]> {
    return this.#log.revealAll(session);
  }

  /**
   * Records that a sender has delivered the entries up to `number`. Returns the number of the last entry to deliver now. Returns `undefined` if the
   * sender must stop, because no entry is left or it has lost its lease.
   *
   * `isWhole` is false if the sender's settings have filtered out a message about the last entry. Senders with other settings may want that message.
   * So if there are such senders, and they have not had the entry yet, the entry is left to them.
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

  /** Schedules another attempt for the entry `from` and all later entries. `attempts` is the number of times that this entry was refused. */
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

  /** Ends a lease. A sender continues with the first entry that is not done, at once or after `waitMs`. */
  async release(leased: LeasedWebhooks, waitMs = 0): Promise<void> {
    await this.#database.query(
      `update paysession_ledger.webhook_outbox set lease = null, due_at = now() + $5 * interval '1 millisecond' where ${LEASED}`,
      [...this.#placeOf(leased), waitMs],
    );
  }

  /** Records that a sender has given up an entry. `WebhookEndpoints.replay` sends this entry and all later entries again. */
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
 * Leases rows that are due, those that have been due longest first. `passed` lists the settings for which the first entry of a row is finished. A
 * sender skips a row if its own settings are in that list, and settings of other senders are not.
 *
 * A probe takes one row. If the probe is refused, its row goes behind all other rows that are due. So the next probe takes another session, and a
 * single faulty message cannot keep an endpoint down.
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

/** Leaves the entry `$5` to senders with settings other than `$6`. Changes nothing if there are no such settings that still need the entry. */
const PASS = `
  update paysession_ledger.webhook_outbox o
  set from_number = $5, lease = null, due_at = now(), attempts = case when from_number = $5 then attempts else 0 end,
    passed = case when from_number = $5 then passed else '{}' end || $6::text
  where ${LEASED} and exists (
    select 1 from paysession_ledger.webhook_settings s where s.environment = $1 and s.endpoint = $2 and s.fingerprint <> $6
      and (o.from_number <> $5 or s.fingerprint <> all (o.passed))
  ) returning 1 as one`;

/** Deletes a row if all its entries are done. If an entry was given up, keeps the row. */
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
