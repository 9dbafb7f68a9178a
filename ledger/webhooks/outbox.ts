import type { ClaimFact } from '../../src/protocol/ledger/known-claim';
import type { EntryLog, SessionEntries } from '../entries/entry-log';
import type { LedgerDatabase } from '../postgres/database';
import type { WebhookEndpoint } from '../../src/settings/webhooks/endpoints';
import { fingerprintOf } from './signature';

/** Webhooks of one session that a sender holds for a while. */
export interface HeldWebhooks {
  readonly endpoint: string;
  /** The fingerprint of the sender's settings of the endpoint. */
  readonly settings: string;
  readonly key: string;
  /** The numbers of the first and the last entry that the endpoint has not received. */
  readonly from: number;
  readonly to: number;
  /** How often the first of them was refused. */
  readonly attempts: number;
  readonly lease: string;
}

/** What a sender asks for: webhooks of an endpoint, as its own settings have it. */
export interface Asked {
  readonly endpoint: string;
  /** The fingerprint of the sender's settings of the endpoint. */
  readonly settings: string;
  /** The number of sessions that the sender has room for. */
  readonly most: number;
}

/** The state of an endpoint, for its senders. */
export interface KnownEndpoint {
  /** A running sender has the endpoint with another URL, other secrets or other filters. */
  readonly differs: boolean;
  readonly isDown: boolean;
}

/** No other sender takes what a sender holds for this long. The sender says that it still holds it; one that is lost says nothing. */
const HELD_FOR = "interval '15 seconds'";

/** A sender that has not registered for this long is not running. */
const SEEN_WITHIN = "interval '60 seconds'";

/** The webhooks that endpoints have not received yet. All methods throw what `PaymentLedger` throws. */
export class WebhookOutbox {
  readonly #database: LedgerDatabase;
  readonly #environment: string;
  readonly #log: EntryLog;

  constructor(database: LedgerDatabase, environment: string, log: EntryLog) {
    this.#database = database;
    this.#environment = environment;
    this.#log = log;
  }

  /** Registers endpoints as running senders have them: the outbox keeps webhooks for them from now on. Returns the state of each. */
  async register(
    endpoints: readonly WebhookEndpoint[],
    { isPassing = false }: { readonly isPassing?: boolean } = {},
  ): Promise<ReadonlyMap<string, KnownEndpoint>> {
    const known = new Map<string, KnownEndpoint>();
    for (const endpoint of endpoints) {
      const { name } = endpoint;
      const [row] = await this.#database.query<{ differs: boolean; is_down: boolean }>(REGISTER, [
        this.#environment,
        name,
        fingerprintOf(endpoint),
        String(isPassing),
      ]);
      known.set(name, { differs: row?.differs === true, isDown: row?.is_down === true });
    }
    await this.#database.query(FORGET_PASSING, [this.#environment]);
    return known;
  }

  /** Takes webhooks that are due; none of an endpoint that is down or failing. */
  async take(asked: readonly Asked[], lease: string): Promise<readonly HeldWebhooks[]> {
    const rows = await this.#database.query<Row>(TAKE, [this.#environment, JSON.stringify(asked), lease]);
    return rows.map((row) =>
      toHeld(
        row,
        asked.find(({ endpoint }) => endpoint === row.endpoint),
      ),
    );
  }

  /** Takes webhooks of one session for an endpoint that is down, if it is time to try it. */
  async takeProbe(asked: Asked, lease: string): Promise<HeldWebhooks | undefined> {
    const { endpoint, settings } = asked;
    const [row] = await this.#database.query<Row>(TAKE_PROBE, [this.#environment, endpoint, lease, settings]);
    return row && toHeld(row, asked);
  }

  /** Holds webhooks for longer. */
  async renew(held: Iterable<HeldWebhooks>): Promise<void> {
    const rows = [...held].map(({ endpoint, key, lease }) => ({ endpoint, key, lease }));
    if (rows.length > 0) await this.#database.query(RENEW, [this.#environment, JSON.stringify(rows)]);
  }

  /** Reads the entries of a key. */
  async read(key: string): Promise<SessionEntries> {
    return this.#log.read(key);
  }

  /** Returns the entries with their personal parts, unless those are erased. */
  async reveal(session: SessionEntries): Promise<readonly ClaimFact[]> {
    return Promise.all(
      session.entries.map(async (entry) => ({
        claim: entry.claim,
        fact: await this.#log.reveal(session, entry),
      })),
    );
  }

  /**
   * Records that a sender is done with the entries up to `number`. `isWhole` is false if its settings filter out a message of the last one: it
   * is left to senders with other settings, if any are in use. Returns the last entry to deliver now, or `undefined` if this sender has no
   * more to do for the session.
   */
  async done(
    { endpoint, settings, key, lease }: HeldWebhooks,
    number: number,
    { isWhole = true }: { readonly isWhole?: boolean } = {},
  ): Promise<number | undefined> {
    const place = [this.#environment, endpoint, key, lease, number];
    const gone = await this.#database.query(DELETE, [...place, settings, String(isWhole)]);
    if (gone.length > 0) return undefined;
    if (!isWhole && (await this.#database.query(PASS, [...place, settings])).length > 0) return undefined;
    const [row] = await this.#database.query<{ to_number: number }>(ADVANCE, place);
    return row !== undefined && row.to_number > number ? row.to_number : undefined;
  }

  /** Schedules another attempt for an entry, and for those after it. `attempts`: how often the entry was refused. */
  async refused(
    { endpoint, key, lease }: HeldWebhooks,
    { from, attempts, waitMs }: { readonly from: number; readonly attempts: number; readonly waitMs: number },
  ): Promise<void> {
    await this.#database.query(
      `update paysession_ledger.webhook_outbox
        set from_number = $5, lease = null, attempts = $6, due_at = now() + $7 * interval '1 millisecond',
          passed = case when from_number = $5 then passed else '{}' end
        where ${HELD}`,
      [this.#environment, endpoint, key, lease, from, attempts, waitMs],
    );
  }

  /** Lets other senders continue at once. */
  async release({ endpoint, key, lease }: HeldWebhooks): Promise<void> {
    await this.#database.query(
      `update paysession_ledger.webhook_outbox set lease = null, due_at = now() where ${HELD}`,
      [this.#environment, endpoint, key, lease],
    );
  }

  /** Gives up an entry. `WebhookEndpoints.replay` sends it again, with all after it. */
  async givenUp({ endpoint, key, lease }: HeldWebhooks, number: number): Promise<void> {
    await this.#database.query(
      `update paysession_ledger.webhook_outbox set missed_from = least(missed_from, $5) where ${HELD}`,
      [this.#environment, endpoint, key, lease, number],
    );
  }

  /** Has senders try one message at a time. Returns false if they did so before. */
  async isDown(endpoint: string, waitMs: number): Promise<boolean> {
    const rows = await this.#database.query(
      `update paysession_ledger.webhook_endpoints
        set down_since = now(), probes = 1, probe_at = now() + $3 * interval '1 millisecond'
        where environment = $1 and name = $2 and down_since is null and failing_since is null returning 1 as one`,
      [this.#environment, endpoint, waitMs],
    );
    return rows.length > 0;
  }

  /** Counts a refusal of an endpoint that is down. Returns how many there were in a row. */
  async probeRefused(endpoint: string): Promise<number> {
    const [row] = await this.#database.query<{ probes: number }>(
      `update paysession_ledger.webhook_endpoints set probes = probes + 1
        where environment = $1 and name = $2 returning probes`,
      [this.#environment, endpoint],
    );
    return row?.probes ?? 0;
  }

  /** Schedules the next try of an endpoint that is down. */
  async probeAgain(endpoint: string, waitMs: number): Promise<void> {
    await this.#database.query(
      `update paysession_ledger.webhook_endpoints set probe_at = now() + $3 * interval '1 millisecond'
        where environment = $1 and name = $2 and down_since is not null`,
      [this.#environment, endpoint, waitMs],
    );
  }

  /** Has senders deliver all that waits: the endpoint takes messages again. */
  async isUp(endpoint: string): Promise<void> {
    await this.#database.transaction(async (statements) => {
      await statements.query(
        `update paysession_ledger.webhook_endpoints set down_since = null, probes = 0, probe_at = null
          where environment = $1 and name = $2`,
        [this.#environment, endpoint],
      );
      await statements.query(
        `update paysession_ledger.webhook_outbox set due_at = now()
          where environment = $1 and endpoint = $2 and lease is null and due_at > now() and due_at < 'infinity'`,
        [this.#environment, endpoint],
      );
    });
  }

  /** Stops all deliveries to an endpoint. The outbox keeps what waits, until `WebhookEndpoints.replay`. Returns false if it was so before. */
  async isFailing(endpoint: string): Promise<boolean> {
    const rows = await this.#database.query(
      `update paysession_ledger.webhook_endpoints set failing_since = now(), down_since = null, probe_at = null, probes = 0
        where environment = $1 and name = $2 and failing_since is null returning 1 as one`,
      [this.#environment, endpoint],
    );
    return rows.length > 0;
  }

  /** Records what an endpoint has answered last. */
  async seen(endpoint: string, { succeededAt, refusedAt, outcome }: SeenEndpoint): Promise<void> {
    await this.#database.query(
      `update paysession_ledger.webhook_endpoints
        set last_success_at = coalesce($3::timestamptz, last_success_at),
          last_failure_at = coalesce($4::timestamptz, last_failure_at), last_outcome = coalesce($5, last_outcome)
        where environment = $1 and name = $2`,
      [this.#environment, endpoint, succeededAt ?? null, refusedAt ?? null, outcome ?? null],
    );
  }
}

export interface SeenEndpoint {
  readonly succeededAt?: string | undefined;
  readonly refusedAt?: string | undefined;
  readonly outcome?: string | undefined;
}

interface Row {
  readonly endpoint: string;
  readonly key: string;
  readonly from_number: number;
  readonly to_number: number;
  readonly attempts: number;
  readonly lease: string;
}

function toHeld(
  { endpoint, key, from_number: from, to_number: to, attempts, lease }: Row,
  asked?: Asked,
): HeldWebhooks {
  return { endpoint, settings: asked?.settings ?? '', key, from, to, attempts, lease };
}

const HELD = 'environment = $1 and endpoint = $2 and key = $3 and lease = $4';

/**
 * Other settings are in use until a sender that has been running for a minute has not seen them for a minute. After an absence of the ledger,
 * or of all senders, each has that minute to come back.
 */
const REGISTER = `
  with endpoint as (
    insert into paysession_ledger.webhook_endpoints (environment, name, is_passing) values ($1, $2, $4::boolean)
      on conflict (environment, name) do update set is_passing = excluded.is_passing
      returning down_since is not null as is_down
  ), own as (
    insert into paysession_ledger.webhook_settings as s (environment, endpoint, fingerprint) values ($1, $2, $3)
      on conflict (environment, endpoint, fingerprint) do update
        set seen_at = now(), began_at = case when s.seen_at < now() - ${SEEN_WITHIN} then now() else s.began_at end
      returning began_at
  ), gone as (
    delete from paysession_ledger.webhook_settings s using own
      where s.environment = $1 and s.endpoint = $2 and s.fingerprint <> $3 and s.seen_at < now() - ${SEEN_WITHIN}
        and own.began_at < now() - ${SEEN_WITHIN}
  )
  select is_down, exists (
    select 1 from paysession_ledger.webhook_settings
    where environment = $1 and endpoint = $2 and fingerprint <> $3 and seen_at >= now() - ${SEEN_WITHIN}
  ) as differs from endpoint`;

const FORGET_PASSING = `
  delete from paysession_ledger.webhook_endpoints e where environment = $1 and is_passing and not exists (
    select 1 from paysession_ledger.webhook_settings s
    where s.environment = e.environment and s.endpoint = e.name and s.seen_at >= now() - ${SEEN_WITHIN}
  )`;

/** True of webhooks that a sender with these settings has not passed, or that all settings in use have passed. */
const isFor = (settings: string): string => `(not ${settings} = any (passed) or not exists (
    select 1 from paysession_ledger.webhook_settings s
    where s.environment = o.environment and s.endpoint = o.endpoint and s.fingerprint <> all (o.passed)
  ))`;

const TAKE = `
  with due as (
    select n.environment, n.endpoint, n.key
    from jsonb_to_recordset($2::jsonb) as asked (endpoint text, settings text, most int)
    join paysession_ledger.webhook_endpoints e
      on e.environment = $1 and e.name = asked.endpoint and e.down_since is null and e.failing_since is null
    cross join lateral (
      select environment, endpoint, key from paysession_ledger.webhook_outbox o
      where environment = $1 and endpoint = asked.endpoint and due_at <= now() and ${isFor('asked.settings')}
      order by due_at limit asked.most for update skip locked
    ) n
  )
  update paysession_ledger.webhook_outbox n set lease = $3, due_at = now() + ${HELD_FOR}
  from due where n.environment = due.environment and n.endpoint = due.endpoint and n.key = due.key
  returning n.endpoint, n.key, n.from_number, n.to_number, n.attempts, n.lease`;

const RENEW = `
  update paysession_ledger.webhook_outbox n set due_at = now() + ${HELD_FOR}
  from jsonb_to_recordset($2::jsonb) as held (endpoint text, key text, lease text)
  where n.environment = $1 and n.endpoint = held.endpoint and n.key = held.key and n.lease = held.lease`;

/** Another session each time: one that is refused for its own sake must not keep an endpoint down. */
const TAKE_PROBE = `
  with probed as (
    update paysession_ledger.webhook_endpoints set probe_at = now() + ${HELD_FOR}
    where environment = $1 and name = $2 and down_since is not null and probe_at <= now()
    returning environment, name
  ), due as (
    select n.environment, n.endpoint, n.key from probed cross join lateral (
      select environment, endpoint, key from paysession_ledger.webhook_outbox o
      where environment = probed.environment and endpoint = probed.name and (lease is null or due_at <= now())
        and due_at < 'infinity' and ${isFor('$4')}
      order by attempts, due_at limit 1 for update skip locked
    ) n
  )
  update paysession_ledger.webhook_outbox n set lease = $3, due_at = now() + ${HELD_FOR}
  from due where n.environment = due.environment and n.endpoint = due.endpoint and n.key = due.key
  returning n.endpoint, n.key, n.from_number, n.to_number, n.attempts, n.lease`;

/** True if senders with other settings may want the entry `$5`, which one with the settings `$6` passes. */
const IS_LEFT = `exists (
    select 1 from paysession_ledger.webhook_settings s where s.environment = $1 and s.endpoint = $2 and s.fingerprint <> $6
      and (o.from_number <> $5 or s.fingerprint <> all (o.passed))
  )`;

const DELETE = `
  delete from paysession_ledger.webhook_outbox o
  where ${HELD} and to_number <= $5 and missed_from is null and ($7::boolean or not ${IS_LEFT}) returning 1 as one`;

/** A session with an entry that was given up keeps its row, although nothing waits. */
const ADVANCE = `
  update paysession_ledger.webhook_outbox
  set from_number = $5 + 1, attempts = 0, passed = '{}',
    waits_since = coalesce(
      (select written_at from paysession_ledger.entries e where e.environment = $1 and e.key = $3 and e.number = $5 + 1), now()
    ),
    lease = case when to_number > $5 then lease end,
    due_at = case when to_number > $5 then now() + ${HELD_FOR} else 'infinity' end
  where ${HELD} returning to_number`;

const PASS = `
  update paysession_ledger.webhook_outbox o
  set from_number = $5, lease = null, due_at = now(), attempts = case when from_number = $5 then attempts else 0 end,
    passed = case when from_number = $5 then passed else '{}' end || $6::text
  where ${HELD} and ${IS_LEFT} returning 1 as one`;
