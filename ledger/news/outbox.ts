import type { ClaimFact } from '../../src/protocol/ledger/known-claim';
import type { EntryLog, SessionEntries } from '../entries/entry-log';
import type { LedgerDatabase, Statements } from '../postgres/database';
import type { NewsEndpoint } from '../../src/settings/news/endpoints';
import { fingerprintOf } from './signature';

/** News of one session that a sender has in hand, until the time is over. */
export interface HeldNews {
  readonly endpoint: string;
  readonly key: string;
  /** The entries that are to be told, the first first. */
  readonly from: number;
  readonly to: number;
  /** How often the first of them was refused. */
  readonly attempts: number;
  readonly lease: string;
}

/** What senders know of an endpoint. */
export interface KnownEndpoint {
  /** Another sender has it with another URL or secret. */
  readonly differs: boolean;
  readonly isDown: boolean;
}

/** So long nobody else takes what a sender has in hand, unless it says that it still has it: one that is lost says nothing. */
const HELD_FOR = "interval '15 seconds'";

/** The news that endpoints have not been told yet. All methods throw what `PaymentLedger` throws. */
export class NewsOutbox {
  readonly #database: LedgerDatabase;
  readonly #environment: string;
  readonly #log: EntryLog;

  constructor(database: LedgerDatabase, environment: string, log: EntryLog) {
    this.#database = database;
    this.#environment = environment;
    this.#log = log;
  }

  /** Writes endpoints down: from now on news is kept for them. Gives what is known of each. */
  async register(
    endpoints: readonly NewsEndpoint[],
    { isPassing = false }: { readonly isPassing?: boolean } = {},
  ): Promise<ReadonlyMap<string, KnownEndpoint>> {
    const known = new Map<string, KnownEndpoint>();
    for (const endpoint of endpoints) {
      const { name } = endpoint;
      const fingerprint = fingerprintOf(endpoint);
      const [row] = await this.#database.query<{ differs: boolean | null; is_down: boolean }>(REGISTER, [
        this.#environment,
        name,
        fingerprint,
        String(isPassing),
      ]);
      known.set(name, { differs: row?.differs === true, isDown: row?.is_down === true });
    }
    await this.#database.query(
      `delete from paysession_ledger.news_endpoints
        where environment = $1 and is_passing and seen_at < now() - interval '60 seconds'`,
      [this.#environment],
    );
    return known;
  }

  /** Takes news that is due, for so many sessions of each endpoint; nothing of one that is down or failing. */
  async take(room: ReadonlyMap<string, number>, lease: string): Promise<readonly HeldNews[]> {
    const asked = JSON.stringify([...room].map(([name, most]) => ({ name, most })));
    return (await this.#database.query<Row>(TAKE, [this.#environment, asked, lease])).map(toHeld);
  }

  /** Takes news of one session for an endpoint that is down, where it is time to try it. */
  async takeProbe(endpoint: string, lease: string): Promise<HeldNews | undefined> {
    const [row] = await this.#database.query<Row>(TAKE_PROBE, [this.#environment, endpoint, lease]);
    return row && toHeld(row);
  }

  /** A sender still has this in hand. */
  async renew(held: Iterable<HeldNews>): Promise<void> {
    const rows = [...held].map(({ endpoint, key, lease }) => ({ endpoint, key, lease }));
    if (rows.length > 0) await this.#database.query(RENEW, [this.#environment, JSON.stringify(rows)]);
  }

  /** Reads what is to be told of a session. */
  async read(key: string): Promise<SessionEntries> {
    return this.#log.read(key);
  }

  /** The session's entries with their personal parts, as far as they are not erased. */
  async reveal(session: SessionEntries): Promise<readonly ClaimFact[]> {
    return Promise.all(
      session.entries.map(async (entry) => ({
        claim: entry.claim,
        fact: await this.#log.reveal(session, entry),
      })),
    );
  }

  /** An entry has been told: gives the last one that is to be told now; `undefined` where that was the last, or somebody else has taken it. */
  async told(
    { endpoint, key, lease }: HeldNews,
    number: number,
    nextAt: string,
  ): Promise<number | undefined> {
    const place = [this.#environment, endpoint, key, lease, number];
    const gone = await this.#database.query(
      `delete from paysession_ledger.news where ${HELD} and to_number <= $5 returning 1 as one`,
      place,
    );
    if (gone.length > 0) return undefined;
    const [row] = await this.#database.query<{ to_number: number }>(
      `update paysession_ledger.news
        set from_number = $5 + 1, attempts = 0, waits_since = $6, due_at = now() + ${HELD_FOR}
        where ${HELD} returning to_number`,
      [...place, nextAt],
    );
    return row?.to_number;
  }

  /** The entry could not be told: it is tried again later. A probe counts for the endpoint, and not for the session. */
  async refused(
    { endpoint, key, lease }: HeldNews,
    { from, waitMs, isProbe }: { readonly from: number; readonly waitMs: number; readonly isProbe: boolean },
  ): Promise<void> {
    await this.#database.query(
      `update paysession_ledger.news
        set from_number = $5, lease = null, attempts = attempts + $6, due_at = now() + $7 * interval '1 millisecond'
        where ${HELD}`,
      [this.#environment, endpoint, key, lease, from, isProbe ? 0 : 1, waitMs],
    );
  }

  /** Somebody else may go on with it. */
  async release({ endpoint, key, lease }: HeldNews): Promise<void> {
    await this.#database.query(
      `update paysession_ledger.news set lease = null, due_at = now() where ${HELD}`,
      [this.#environment, endpoint, key, lease],
    );
  }

  /** One entry's news is given up: it can be sent again. */
  async givenUp({ endpoint }: HeldNews, recordedAt: string): Promise<void> {
    await this.#database.query(
      `update paysession_ledger.news_endpoints
        set given_up = given_up + 1, missing_since = least(missing_since, $3::timestamptz)
        where environment = $1 and name = $2`,
      [this.#environment, endpoint, recordedAt],
    );
  }

  /** From now on one message at a time is tried. Gives false where it was so before. */
  async isDown(endpoint: string, waitMs: number): Promise<boolean> {
    const rows = await this.#database.query(
      `update paysession_ledger.news_endpoints
        set down_since = now(), probes = 1, probe_at = now() + $3 * interval '1 millisecond'
        where environment = $1 and name = $2 and down_since is null and failing_since is null returning 1 as one`,
      [this.#environment, endpoint, waitMs],
    );
    return rows.length > 0;
  }

  /** How often an endpoint that is down has refused in a row, this time included. */
  async probeRefused(endpoint: string): Promise<number> {
    const [row] = await this.#database.query<{ probes: number }>(
      `update paysession_ledger.news_endpoints set probes = probes + 1
        where environment = $1 and name = $2 returning probes`,
      [this.#environment, endpoint],
    );
    return row?.probes ?? 0;
  }

  async probeAgain(endpoint: string, waitMs: number): Promise<void> {
    await this.#database.query(
      `update paysession_ledger.news_endpoints set probe_at = now() + $3 * interval '1 millisecond'
        where environment = $1 and name = $2 and down_since is not null`,
      [this.#environment, endpoint, waitMs],
    );
  }

  /** It takes messages again: all of its news is due. */
  async isUp(endpoint: string): Promise<void> {
    await this.#database.transaction(async (statements) => {
      await statements.query(
        `update paysession_ledger.news_endpoints set down_since = null, probes = 0, probe_at = null
          where environment = $1 and name = $2`,
        [this.#environment, endpoint],
      );
      await statements.query(
        `update paysession_ledger.news set due_at = now()
          where environment = $1 and endpoint = $2 and lease is null and due_at > now()`,
        [this.#environment, endpoint],
      );
    });
  }

  /** Nothing reaches it any more: what waits for it is given up, and no more is kept. Gives false where it was so before. */
  async isFailing(endpoint: string): Promise<boolean> {
    return this.#database.transaction(async (statements) => {
      const place = [this.#environment, endpoint];
      const begun = await statements.query(
        `update paysession_ledger.news_endpoints set failing_since = now(), down_since = null, probe_at = null, probes = 0
          where environment = $1 and name = $2 and failing_since is null returning 1 as one`,
        place,
      );
      if (begun.length > 0) await giveUpAll(statements, place);
      return begun.length > 0;
    });
  }

  /** Writes down what endpoints answered since the last time, and that a sender is there. */
  async seen(endpoint: string, { succeededAt, refusedAt, outcome }: SeenEndpoint): Promise<void> {
    await this.#database.query(
      `update paysession_ledger.news_endpoints
        set seen_at = now(), last_success_at = coalesce($3::timestamptz, last_success_at),
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

function toHeld({ endpoint, key, from_number: from, to_number: to, attempts, lease }: Row): HeldNews {
  return { endpoint, key, from, to, attempts, lease };
}

const HELD = 'environment = $1 and endpoint = $2 and key = $3 and lease = $4';

const REGISTER = `
  with before as (
    select fingerprint <> $3 and seen_at > now() - interval '60 seconds' as differs
    from paysession_ledger.news_endpoints where environment = $1 and name = $2
  )
  insert into paysession_ledger.news_endpoints (environment, name, fingerprint, is_passing)
    values ($1, $2, $3, $4::boolean)
    on conflict (environment, name) do update set seen_at = now(), fingerprint = excluded.fingerprint
    returning (select differs from before) as differs, down_since is not null as is_down`;

const TAKE = `
  with due as (
    select n.environment, n.endpoint, n.key
    from jsonb_to_recordset($2::jsonb) as asked (name text, most int)
    join paysession_ledger.news_endpoints e
      on e.environment = $1 and e.name = asked.name and e.down_since is null and e.failing_since is null
    cross join lateral (
      select environment, endpoint, key from paysession_ledger.news
      where environment = $1 and endpoint = asked.name and due_at <= now()
      order by due_at limit asked.most for update skip locked
    ) n
  )
  update paysession_ledger.news n set lease = $3, due_at = now() + ${HELD_FOR}
  from due where n.environment = due.environment and n.endpoint = due.endpoint and n.key = due.key
  returning n.endpoint, n.key, n.from_number, n.to_number, n.attempts, n.lease`;

const RENEW = `
  update paysession_ledger.news n set due_at = now() + ${HELD_FOR}
  from jsonb_to_recordset($2::jsonb) as held (endpoint text, key text, lease text)
  where n.environment = $1 and n.endpoint = held.endpoint and n.key = held.key and n.lease = held.lease`;

/** Another session each time: one that is refused for its own sake must not keep an endpoint down. */
const TAKE_PROBE = `
  with probed as (
    update paysession_ledger.news_endpoints set probe_at = now() + ${HELD_FOR}
    where environment = $1 and name = $2 and down_since is not null and probe_at <= now()
    returning environment, name
  ), due as (
    select n.environment, n.endpoint, n.key from probed cross join lateral (
      select environment, endpoint, key from paysession_ledger.news
      where environment = probed.environment and endpoint = probed.name and (lease is null or due_at <= now())
      order by attempts, due_at limit 1 for update skip locked
    ) n
  )
  update paysession_ledger.news n set lease = $3, due_at = now() + ${HELD_FOR}
  from due where n.environment = due.environment and n.endpoint = due.endpoint and n.key = due.key
  returning n.endpoint, n.key, n.from_number, n.to_number, n.attempts, n.lease`;

async function giveUpAll(statements: Statements, place: readonly string[]): Promise<void> {
  await statements.query(
    `with gone as (
        delete from paysession_ledger.news where environment = $1 and endpoint = $2 returning waits_since
      )
      update paysession_ledger.news_endpoints
        set given_up = given_up + (select count(*) from gone),
          missing_since = least(missing_since, (select min(waits_since) from gone), now())
        where environment = $1 and name = $2`,
    place,
  );
}
