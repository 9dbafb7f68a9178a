import { PaysessionError, SettingsError, withRemedy } from '../../src/errors';
import type { LedgerDatabase } from '../postgres/database';

/** The state of an endpoint. */
export interface EndpointStanding {
  readonly name: string;
  /** `unattended`: no running sender has it in its settings. `failing`: it was down for three days, or is gone, and senders no longer try it. */
  readonly state: 'ok' | 'down' | 'failing' | 'unattended';
  /** The number of sessions with webhooks that the endpoint has not received yet. */
  readonly waiting: number;
  /** When the oldest of these was recorded; ISO 8601, UTC. So are all times. */
  readonly waitsSince?: string;
  readonly lastSuccessAt?: string;
  readonly lastFailureAt?: string;
  /** The last answer: an HTTP status, or why there was none. */
  readonly lastOutcome?: string;
  /** Since when it is down or failing. */
  readonly since?: string;
  /** The number of sessions with webhooks that were given up. */
  readonly givenUp: number;
}

/** The endpoints for which the outbox keeps webhooks. All methods throw what `PaymentLedger` throws. */
export class WebhookEndpoints {
  readonly #database: LedgerDatabase;
  readonly #environment: string;

  constructor(database: LedgerDatabase, environment: string) {
    this.#database = database;
    this.#environment = environment;
  }

  /** Returns the state of each endpoint, by name. */
  async all(): Promise<readonly EndpointStanding[]> {
    return (await this.#database.query<Row>(ALL, [this.#environment])).map(toStanding);
  }

  /**
   * Sends webhooks again, and tries a failing endpoint again: all that was written since a time, by the database's clock, or exactly what was
   * given up or waits at the failing endpoint. Returns the number of sessions. A message that the endpoint has received comes with the same id.
   *
   * @throws `PaysessionError` `WEBHOOK_ENDPOINT_UNKNOWN`, and `SettingsError` without a time if nothing was given up
   */
  async replay(name: string, since?: Date): Promise<number> {
    return this.#database.transaction(async (statements) => {
      const place = [this.#environment, name];
      const [endpoint] = await statements.query<{ is_failing: boolean }>(
        `select failing_since is not null as is_failing
          from paysession_ledger.webhook_endpoints where environment = $1 and name = $2 for update`,
        place,
      );
      if (endpoint === undefined) throw unknownEndpoint(name);
      const { is_failing: isFailing } = endpoint;
      await statements.query(
        `update paysession_ledger.webhook_endpoints set failing_since = null, down_since = null, probes = 0, probe_at = null
          where environment = $1 and name = $2`,
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

  /** Keeps no webhooks for an endpoint, unless a sender has it in its settings. Throws `PaysessionError` `WEBHOOK_ENDPOINT_UNKNOWN`. */
  async forget(name: string): Promise<void> {
    // In a transaction, which has no time limit of a single statement: many rows may go with it.
    const gone = await this.#database.transaction((statements) =>
      statements.query(
        'delete from paysession_ledger.webhook_endpoints where environment = $1 and name = $2 returning 1 as one',
        [this.#environment, name],
      ),
    );
    if (gone.length === 0) throw unknownEndpoint(name);
  }
}

function unknownEndpoint(name: string): PaysessionError {
  const code = 'WEBHOOK_ENDPOINT_UNKNOWN';
  return new PaysessionError(code, withRemedy(code, `The ledger knows no endpoint ${name}.`));
}

interface Count {
  readonly sessions: string;
}

interface Row {
  readonly name: string;
  readonly state: EndpointStanding['state'];
  readonly waiting: string;
  readonly waits_since: Date | null;
  readonly last_success_at: Date | null;
  readonly last_failure_at: Date | null;
  readonly last_outcome: string | null;
  readonly since: Date | null;
  readonly given_up: string;
}

const ALL = `
  select name,
    case when failing_since is not null then 'failing'
      when not exists (
        select 1 from paysession_ledger.webhook_settings s
        where s.environment = e.environment and s.endpoint = e.name and s.seen_at >= now() - interval '60 seconds'
      ) then 'unattended'
      when down_since is not null then 'down' else 'ok' end as state,
    waiting, waits_since, given_up,
    last_success_at, last_failure_at, last_outcome, coalesce(failing_since, down_since) as since
  from paysession_ledger.webhook_endpoints e cross join lateral (
    select count(*) filter (where due_at < 'infinity') as waiting, min(waits_since) filter (where due_at < 'infinity') as waits_since,
      count(missed_from) as given_up
    from paysession_ledger.webhook_outbox n where n.environment = e.environment and n.endpoint = e.name
  ) n
  where environment = $1 order by name`;

/** A sender that holds some of it loses it, and begins again from there. */
const AT_ONCE = "due_at = now(), attempts = 0, lease = null, passed = '{}'";

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
      select environment, $2, key, min(number), max(number), min(written_at), now()
        from paysession_ledger.entries where environment = $1 and written_at >= $3::timestamptz
        group by environment, key order by key
      on conflict (environment, endpoint, key) do update
        set from_number = least(webhook_outbox.from_number, excluded.from_number),
          to_number = greatest(webhook_outbox.to_number, excluded.to_number),
          waits_since = least(webhook_outbox.waits_since, excluded.waits_since),
          missed_from = case when webhook_outbox.missed_from < excluded.from_number then webhook_outbox.missed_from end,
          ${AT_ONCE}
      returning 1
  )
  select count(*) as sessions from sent`;

const isoOf = (time: Date | null): string | undefined => time?.toISOString();

function toStanding(row: Row): EndpointStanding {
  const times = {
    waitsSince: isoOf(row.waits_since),
    lastSuccessAt: isoOf(row.last_success_at),
    lastFailureAt: isoOf(row.last_failure_at),
    lastOutcome: row.last_outcome ?? undefined,
    since: isoOf(row.since),
  };
  const known = Object.fromEntries(Object.entries(times).filter(([, value]) => value !== undefined));
  const { name, state } = row;
  return { name, state, waiting: Number(row.waiting), givenUp: Number(row.given_up), ...known };
}
