import { PaysessionError, SettingsError, withRemedy } from '../../src/errors';
import type { WebhookEndpoint } from '../../src/settings/webhooks/endpoints';
import { membersOf, type LedgerDatabase } from '../postgres/database';
import { digest } from '../stored-fact';

/**
 * The endpoints that receive webhooks. A sender is a process that delivers the messages in the ledger's outbox. The outbox is the table of webhooks
 * to send. An endpoint is down if it refuses all messages. It is failing if senders have stopped trying it.
 */

/** The state of an endpoint. */
export interface EndpointStanding {
  readonly name: string;
  /**
   * `ok`: the endpoint accepts messages. `down`: the endpoint refuses all messages, and senders probe it. `failing`: the endpoint was down for
   * three days, or answers that it is gone (410), and senders do not try it. `unattended`: no running sender has the endpoint in its settings.
   */
  readonly state: 'ok' | 'down' | 'failing' | 'unattended';
  /** The number of sessions with webhooks that the endpoint has not received yet. */
  readonly waiting: number;
  /** The time at which the oldest waiting webhook was recorded. Absent if no webhook waits. All times are in ISO 8601, UTC. */
  readonly waitsSince?: string;
  readonly lastSuccessAt?: string;
  readonly lastFailureAt?: string;
  /** The last answer: `delivered`, the HTTP status of a refusal, or the reason why there was no answer. */
  readonly lastOutcome?: string;
  /** The time since which the endpoint has been down or failing. */
  readonly since?: string;
  /** The number of sessions with webhooks that were given up. */
  readonly givenUp: number;
}

/** An endpoint's last answers. Times are in ISO 8601. */
export interface LastAnswers {
  readonly succeededAt?: string | undefined;
  readonly refusedAt?: string | undefined;
  readonly outcome?: string | undefined;
}

/** If a sender has not registered for this long, it counts as stopped. */
const SEEN_WITHIN = "interval '60 seconds'";

/** The endpoints for which the outbox keeps webhooks. All methods throw the errors of `LedgerDatabase`. */
export class WebhookEndpoints {
  readonly #database: LedgerDatabase;
  readonly #environment: string;

  constructor(database: LedgerDatabase, environment: string) {
    this.#database = database;
    this.#environment = environment;
  }

  /**
   * Registers the endpoints of a running sender. From now on, the outbox keeps webhooks for these endpoints. Returns the names of those endpoints
   * for which another running sender has other settings. With `isPassing`, the endpoints are temporary: `forgetPassing` removes them when no
   * running sender has them.
   */
  async register(
    endpoints: readonly WebhookEndpoint[],
    { isPassing = false }: { readonly isPassing?: boolean } = {},
  ): Promise<ReadonlySet<string>> {
    const differing = new Set<string>();
    for (const endpoint of endpoints) {
      const { name } = endpoint;
      const [row] = await this.#database.query<{ differs: boolean }>(REGISTER, [
        this.#environment,
        name,
        fingerprintOf(endpoint),
        String(isPassing),
      ]);
      if (row?.differs === true) differing.add(name);
    }
    return differing;
  }

  /** Removes the temporary endpoints (`isPassing`) that no running sender has. */
  async forgetPassing(): Promise<void> {
    // Uses a transaction, which has no time limit, since many rows may be deleted.
    await this.#database.transaction((statements) => statements.query(FORGET_PASSING, [this.#environment]));
  }

  /** Records an endpoint's last answers. */
  async answered(name: string, { succeededAt, refusedAt, outcome }: LastAnswers): Promise<void> {
    await this.#database.query(
      `update paysession_ledger.webhook_endpoints
        set last_success_at = coalesce($3::timestamptz, last_success_at),
          last_failure_at = coalesce($4::timestamptz, last_failure_at), last_outcome = coalesce($5, last_outcome)
        where environment = $1 and name = $2`,
      [this.#environment, name, succeededAt ?? null, refusedAt ?? null, outcome ?? null],
    );
  }

  /**
   * Records that an endpoint refuses all webhooks. The endpoint is then down, and senders probe it with one session at a time. After three days,
   * the endpoint is failing, and senders stop trying it. If the endpoint answers that it is gone (410), it is failing at once, unless senders have
   * different settings for it. Returns the state if it has changed.
   */
  async refusesAll(
    name: string,
    { isGone = false, retryAfterMs = 0 }: { readonly isGone?: boolean; readonly retryAfterMs?: number } = {},
  ): Promise<'down' | 'failing' | undefined> {
    const place = [this.#environment, name];
    const [row] = await this.#database.query<{ state: 'down' | 'failing' | null }>(REFUSES_ALL, [
      ...place,
      String(isGone),
      retryAfterMs,
    ]);
    return row?.state ?? undefined;
  }

  /** If an endpoint is down, makes senders probe it again at once. Used if the last probe showed nothing, because no message was sent. */
  async probeAgain(name: string): Promise<void> {
    await this.#database.query(
      `update paysession_ledger.webhook_endpoints set probe_at = now()
        where environment = $1 and name = $2 and down_since is not null`,
      [this.#environment, name],
    );
  }

  /**
   * Records that an endpoint accepts webhooks again. Senders then try all waiting webhooks at once. This extra attempt does not count as one of a
   * message's attempts, because an endpoint may come back many times and still refuse one message.
   */
  async acceptsAgain(name: string): Promise<void> {
    await this.#database.transaction(async (statements) => {
      const place = [this.#environment, name];
      await statements.query(
        `update paysession_ledger.webhook_endpoints set ${UP} where environment = $1 and name = $2`,
        place,
      );
      await statements.query(
        `update paysession_ledger.webhook_outbox set due_at = now(), attempts = greatest(attempts - 1, 0)
          where environment = $1 and endpoint = $2 and lease is null and due_at > now() and due_at < 'infinity'`,
        place,
      );
    });
  }

  /** Returns the states of all endpoints, sorted by name. */
  async all(): Promise<readonly EndpointStanding[]> {
    const rows = await this.#database.query<Parameters<typeof membersOf>[0]>(ALL, [this.#environment]);
    return rows.map((row) => membersOf(row) as EndpointStanding);
  }

  /**
   * Sends webhooks again, and makes senders try a failing endpoint again. With a time, sends the webhooks of all entries that were written since
   * that time, by the database's clock. Without a time, sends the webhooks that were given up and those that wait for a failing endpoint. A message
   * that is sent again keeps its id. Returns the number of sessions.
   *
   * @throws {@link PaysessionError} `WEBHOOK_ENDPOINT_UNKNOWN` if the ledger does not know the endpoint
   * @throws `SettingsError` without a time, if nothing was given up and the endpoint is not failing
   */
  async replay(name: string, since?: Date): Promise<number> {
    return this.#database.transaction(async (statements) => {
      const place = [this.#environment, name];
      // Not `for update`: it would block the recording of all sessions, because each recording adds a row that refers to the endpoint.
      const [endpoint] = await statements.query<{ is_failing: boolean }>(
        `select failing_since is not null as is_failing
          from paysession_ledger.webhook_endpoints where environment = $1 and name = $2 for no key update`,
        place,
      );
      if (endpoint === undefined) throw unknownEndpoint(name);
      const { is_failing: isFailing } = endpoint;
      await statements.query(
        `update paysession_ledger.webhook_endpoints set ${UP}, failing_since = null where environment = $1 and name = $2`,
        place,
      );
      const [sent] = await (since === undefined
        ? statements.query<Count>(SEND_MISSED, [...place, String(isFailing)])
        : statements.query<Count>(SEND_SINCE, [...place, since.toISOString()]));
      const sessions = Number(sent?.sessions ?? 0);
      if (since === undefined && sessions === 0 && !isFailing)
        throw new SettingsError([
          { path: '--since', message: 'is needed: no webhooks of this endpoint were given up' },
        ]);
      return sessions;
    });
  }

  /**
   * Removes an endpoint and its waiting webhooks. If a sender registers the endpoint later, it is added again.
   *
   * @throws {@link PaysessionError} `WEBHOOK_ENDPOINT_UNKNOWN` if the ledger does not know the endpoint
   */
  async forget(name: string): Promise<void> {
    // Uses a transaction, which has no time limit, since many rows may be deleted.
    const gone = await this.#database.transaction(async (statements) => {
      const place = [this.#environment, name];
      // The endpoint's row is deleted last. While that row is locked, no session can be recorded.
      for (const table of ['webhook_deliveries', 'webhook_outbox'])
        await statements.query(
          `delete from paysession_ledger.${table} where environment = $1 and endpoint = $2`,
          place,
        );
      return statements.query(
        'delete from paysession_ledger.webhook_endpoints where environment = $1 and name = $2 returning 1 as one',
        place,
      );
    });
    if (gone.length === 0) throw unknownEndpoint(name);
  }
}

/** @param name the endpoint. Absent if the ledger does not know any endpoint */
export function unknownEndpoint(name?: string): PaysessionError {
  const code = 'WEBHOOK_ENDPOINT_UNKNOWN';
  const happened =
    name === undefined ? 'The ledger knows no endpoint.' : `The ledger knows no endpoint ${name}.`;
  return new PaysessionError(code, withRemedy(code, happened));
}

interface Count {
  readonly sessions: string;
}

/** Returns a hash that distinguishes different settings of an endpoint. It reveals no secret, because secrets are random bytes. */
export function fingerprintOf(endpoint: WebhookEndpoint): string {
  const { url, secrets, kinds, accounts, personalData = false } = endpoint;
  return digest([url, secrets, kinds?.toSorted() ?? null, accounts?.toSorted() ?? null, personalData]);
}

/**
 * Registers an endpoint with a sender's settings. Senders may have different settings for an endpoint, for instance during a deployment.
 *
 * Settings stay in use until no sender has registered them for a minute. A sender may remove unused settings only if it has been running for a
 * minute. So after an outage of the ledger or of all senders, each sender has a minute to come back.
 *
 * Settings that were not in use before may have a new URL. So if the endpoint is failing, it now counts as down, and senders probe it.
 */
const REGISTER = `
  with known as (
    select count(*) > 0 as is_known from paysession_ledger.webhook_settings
    where environment = $1 and endpoint = $2 and fingerprint = $3
  ), endpoint as (
    insert into paysession_ledger.webhook_endpoints as e (environment, name, is_passing) values ($1, $2, $4::boolean)
      on conflict (environment, name) do update set is_passing = excluded.is_passing,
        (failing_since, down_since, probe_at) = (
          select case when is_known then e.failing_since end,
            case when is_known or e.failing_since is null then e.down_since else now() end,
            case when is_known or e.failing_since is null then e.probe_at else now() end
          from known
        )
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
  select exists (
    select 1 from paysession_ledger.webhook_settings
    where environment = $1 and endpoint = $2 and fingerprint <> $3 and seen_at >= now() - ${SEEN_WITHIN}
  ) as differs`;

const FORGET_PASSING = `
  delete from paysession_ledger.webhook_endpoints e where environment = $1 and is_passing and not exists (
    select 1 from paysession_ledger.webhook_settings s
    where s.environment = e.environment and s.endpoint = e.name and s.seen_at >= now() - ${SEEN_WITHIN}
  )`;

const UP = 'down_since = null, probe_at = null';

/**
 * Marks an endpoint as down or failing.
 *
 * The wait before the next probe is as long as the endpoint has been down, but at least a second and at most fifteen minutes. So webhooks continue
 * soon after the endpoint is back. If the endpoint asks for a longer wait, that wait counts. Up to a tenth is added at random, to spread the probes
 * of several environments.
 *
 * If several settings are in use, they may have different URLs. Then an endpoint that answers that it is gone (410) counts only as down.
 */
const REFUSES_ALL = `
  update paysession_ledger.webhook_endpoints set down_since = coalesce(down_since, now()),
    failing_since = case when down_since < now() - interval '3 days' or $3::boolean and 1 >= (
      select count(*) from paysession_ledger.webhook_settings
      where environment = $1 and endpoint = $2 and seen_at >= now() - ${SEEN_WITHIN}
    ) then now() end,
    probe_at = now() + (1 + random() / 10) * greatest(
      least(now() - coalesce(down_since, now()), interval '15 minutes'), interval '1 second', $4 * interval '1 millisecond'
    )
  where environment = $1 and name = $2 and failing_since is null
  returning case when failing_since is not null then 'failing' when down_since = now() then 'down' end as state`;

const ALL = `
  select name,
    case when failing_since is not null then 'failing'
      when not exists (
        select 1 from paysession_ledger.webhook_settings s
        where s.environment = e.environment and s.endpoint = e.name and s.seen_at >= now() - ${SEEN_WITHIN}
      ) then 'unattended'
      when down_since is not null then 'down' else 'ok' end as state,
    waiting::int, waits_since as "waitsSince", given_up::int as "givenUp", last_success_at as "lastSuccessAt",
    last_failure_at as "lastFailureAt", last_outcome as "lastOutcome", coalesce(failing_since, down_since) as since
  from paysession_ledger.webhook_endpoints e cross join lateral (
    select count(*) filter (where due_at < 'infinity') as waiting, min(waits_since) filter (where due_at < 'infinity') as waits_since,
      count(missed_from) as given_up
    from paysession_ledger.webhook_outbox n where n.environment = e.environment and n.endpoint = e.name
  ) n
  where environment = $1 order by name`;

/** Makes rows of the outbox due at once. If a sender has leased such a row, the sender loses the lease. */
const AT_ONCE = "due_at = now(), attempts = 0, lease = null, passed = '{}'";

/** Joins a session's new entries with the session's entries that already wait. */
export const WITH_WAITING = `
  on conflict (environment, endpoint, key) do update
    set from_number = least(webhook_outbox.from_number, excluded.from_number),
      to_number = greatest(webhook_outbox.to_number, excluded.to_number),
      waits_since = least(webhook_outbox.waits_since, excluded.waits_since),
      missed_from = case when webhook_outbox.missed_from < excluded.from_number then webhook_outbox.missed_from end,
      ${AT_ONCE}`;

const SEND_MISSED = `
  with sent as (
    update paysession_ledger.webhook_outbox set from_number = least(from_number, missed_from), missed_from = null, ${AT_ONCE}
      where environment = $1 and endpoint = $2 and ($3::boolean or missed_from is not null)
      returning 1
  )
  select count(*) as sessions from sent`;

const SEND_SINCE = `
  with sent as (
    insert into paysession_ledger.webhook_outbox (environment, endpoint, key, from_number, to_number, waits_since, due_at)
      select environment, $2, key, from_number, to_number, waits_since, now()
        from (
          select environment, key, min(number) as from_number, min(written_at) as waits_since
            from paysession_ledger.entries where environment = $1 and written_at >= $3::timestamptz
            group by environment, key
        ) since cross join lateral (
          -- Includes later entries with an earlier time: after a failover, the database's clock may be behind.
          select max(number) as to_number from paysession_ledger.entries latest
            where latest.environment = since.environment and latest.key = since.key
        ) last order by key
      ${WITH_WAITING}
      returning 1
  )
  select count(*) as sessions from sent`;
