import { PaysessionError, SettingsError, withRemedy } from '../../src/errors';
import type { LedgerDatabase } from '../postgres/database';

/** How an endpoint is doing. */
export interface EndpointStanding {
  readonly name: string;
  /** `unattended`: no sender has it in its settings. `failing`: it was down for three days, or is gone, and no news is kept for it. */
  readonly state: 'ok' | 'down' | 'failing' | 'unattended';
  /** How many sessions have news that it was not told yet. */
  readonly waiting: number;
  /** When the oldest of that was recorded; ISO 8601, UTC. So are all times. */
  readonly waitsSince?: string;
  readonly lastSuccessAt?: string;
  readonly lastFailureAt?: string;
  /** What it answered last: an HTTP status, or why there was no answer. */
  readonly lastOutcome?: string;
  /** Since when it is down or failing. */
  readonly since?: string;
  /** How many sessions' news were given up, and when the first of it was recorded. */
  readonly givenUp: number;
  readonly missingSince?: string;
}

/** Entries have the time of the worker that recorded them. What is sent twice has the same id. */
const CLOCKS_DIFFER_MS = 60_000;

/** The endpoints that news is kept for. All methods throw what `PaymentLedger` throws. */
export class NewsEndpoints {
  readonly #database: LedgerDatabase;
  readonly #environment: string;

  constructor(database: LedgerDatabase, environment: string) {
    this.#database = database;
    this.#environment = environment;
  }

  /** How each endpoint is doing, by name. */
  async all(): Promise<readonly EndpointStanding[]> {
    return (await this.#database.query<Row>(ALL, [this.#environment])).map(toStanding);
  }

  /**
   * Sends all news again that was recorded since a time, or since the first that was given up, and keeps news for the endpoint again. Gives
   * how many sessions it is of. What it was told before comes with the same ids. Throws `PaysessionError` `NEWS_ENDPOINT_UNKNOWN`, and
   * `SettingsError` without a time where nothing was given up.
   */
  async replay(name: string, since?: Date): Promise<number> {
    return this.#database.transaction(async (statements) => {
      const place = [this.#environment, name];
      const [endpoint] = await statements.query<{ missing_since: Date | null }>(
        'select missing_since from paysession_ledger.news_endpoints where environment = $1 and name = $2 for update',
        place,
      );
      if (endpoint === undefined) throw unknownEndpoint(name);
      const { missing_since: missing } = endpoint;
      const from = since ?? (missing && new Date(missing.getTime() - CLOCKS_DIFFER_MS));
      if (from === null)
        throw new SettingsError([
          { path: '--since', message: 'is needed: no news of this endpoint was given up' },
        ]);
      await statements.query(
        `update paysession_ledger.news_endpoints
          set failing_since = null, down_since = null, probes = 0, probe_at = null, given_up = 0, missing_since = null
          where environment = $1 and name = $2`,
        place,
      );
      const sessions = await statements.query(REPLAY, [...place, from.toISOString()]);
      return sessions.length;
    });
  }

  /** Keeps no news for an endpoint any more, until a sender that has it in its settings begins. Throws `PaysessionError` `NEWS_ENDPOINT_UNKNOWN`. */
  async forget(name: string): Promise<void> {
    // Without the time limit of a single statement: much news may go with it.
    const gone = await this.#database.transaction((statements) =>
      statements.query(
        'delete from paysession_ledger.news_endpoints where environment = $1 and name = $2 returning 1 as one',
        [this.#environment, name],
      ),
    );
    if (gone.length === 0) throw unknownEndpoint(name);
  }
}

function unknownEndpoint(name: string): PaysessionError {
  const code = 'NEWS_ENDPOINT_UNKNOWN';
  return new PaysessionError(code, withRemedy(code, `The ledger knows no endpoint ${name}.`));
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
  readonly missing_since: Date | null;
}

const ALL = `
  select name,
    case when failing_since is not null then 'failing'
      when seen_at < now() - interval '60 seconds' then 'unattended'
      when down_since is not null then 'down' else 'ok' end as state,
    (select count(*) from paysession_ledger.news n where n.environment = e.environment and n.endpoint = e.name) as waiting,
    (select min(waits_since) from paysession_ledger.news n
      where n.environment = e.environment and n.endpoint = e.name) as waits_since,
    last_success_at, last_failure_at, last_outcome, coalesce(failing_since, down_since) as since, given_up, missing_since
  from paysession_ledger.news_endpoints e where environment = $1 order by name`;

/** A sender that has some of it in hand loses it: it begins anew from there. */
const REPLAY = `
  insert into paysession_ledger.news (environment, endpoint, key, from_number, to_number, waits_since, due_at)
    select environment, $2, key, min(number), max(number), min(recorded_at), now()
      from paysession_ledger.entries where environment = $1 and recorded_at >= $3::timestamptz
      group by environment, key order by key
    on conflict (environment, endpoint, key) do update
      set from_number = least(news.from_number, excluded.from_number),
        to_number = greatest(news.to_number, excluded.to_number),
        waits_since = least(news.waits_since, excluded.waits_since), due_at = now(), attempts = 0, lease = null
    returning 1 as one`;

const isoOf = (time: Date | null): string | undefined => time?.toISOString();

function toStanding(row: Row): EndpointStanding {
  const times = {
    waitsSince: isoOf(row.waits_since),
    lastSuccessAt: isoOf(row.last_success_at),
    lastFailureAt: isoOf(row.last_failure_at),
    lastOutcome: row.last_outcome ?? undefined,
    since: isoOf(row.since),
    missingSince: isoOf(row.missing_since),
  };
  const known = Object.fromEntries(Object.entries(times).filter(([, value]) => value !== undefined));
  const { name, state } = row;
  return { name, state, waiting: Number(row.waiting), givenUp: Number(row.given_up), ...known };
}
