import type { WebhookKind } from '../../src/protocol/webhooks';
import { PaysessionError, withRemedy } from '../../src/errors';
import type { LedgerDatabase } from '../postgres/database';
import { unknownEndpoint, WITH_WAITING } from './endpoints';
import type { LeasedWebhooks } from './outbox';

/** A message to one endpoint, and the endpoint's last answers. All times are in ISO 8601, UTC. */
export interface WebhookDelivery {
  /** The message's id. */
  readonly id: string;
  readonly type: WebhookKind;
  readonly key: string;
  /** The number of the ledger's entry that the message is about. */
  readonly number: number;
  readonly endpoint: string;
  /**
   * `delivered`: the endpoint has accepted the message. `refused`: senders try again. `givenUp`: senders have tried, usually for three days. They
   * try again only if a person asks for that.
   */
  readonly state: DeliveryState;
  readonly attempts: number;
  /** The last ten answers, the oldest first. */
  readonly answers: readonly WebhookAnswer[];
  /** The time of the next attempt. Absent if no attempt is planned. */
  readonly nextTryAt?: string;
}

/** The state of a message at an endpoint, after its last answer. */
export type DeliveryState = 'delivered' | 'refused' | 'givenUp';

/** An endpoint's answer to a message. */
export interface WebhookAnswer {
  readonly at: string;
  /** An HTTP status such as `HTTP 503`, or the reason for a missing answer, such as `ECONNREFUSED`. */
  readonly outcome: string;
}

/** The entries of a session that an endpoint has not received yet. */
export interface WaitingWebhooks {
  readonly endpoint: string;
  readonly key: string;
  /** The numbers of the first and the last entry. */
  readonly from: number;
  readonly to: number;
  /** The time of the next attempt. Absent if senders have stopped trying the endpoint. */
  readonly nextTryAt?: string;
}

/** The deliveries of a session or of one message, and the session's waiting webhooks. */
export interface WebhookDeliveriesOf {
  /** The deliveries, sorted by the number of their entry. The newest delivery is last. */
  readonly deliveries: readonly WebhookDelivery[];
  readonly waiting: readonly WaitingWebhooks[];
  /** True if there are older deliveries, which are left out. */
  readonly hasMore: boolean;
}

/** The entries of a session that `resend` has queued, and the endpoints that receive them. */
export interface ResentWebhooks {
  readonly key: string;
  /** The number of the first entry. */
  readonly from: number;
  readonly endpoints: readonly {
    readonly name: string;
    /** True if senders have stopped trying the endpoint. `WebhookEndpoints.replay` makes them try it again. */
    readonly isFailing: boolean;
  }[];
}

/** An answer to record. */
export interface NewAnswer {
  readonly id: string;
  readonly type: WebhookKind;
  readonly state: DeliveryState;
  readonly outcome: string;
}

/** The maximum number of deliveries that one call returns. */
const MOST_READ = 200;
/** The time for which a delivery is kept after the last answer. */
const KEPT_FOR = "interval '30 days'";
/** The maximum number of old rows that one call of `removeOld` removes. Senders call it every few seconds. */
const MOST_REMOVED = 1_000;

/** The answers of endpoints to webhooks. All methods throw the errors of `LedgerDatabase`. */
export class WebhookDeliveries {
  readonly #database: LedgerDatabase;
  readonly #environment: string;
  readonly #now: () => number;

  /** @param now returns the current time in milliseconds since the epoch */
  constructor(database: LedgerDatabase, environment: string, now: () => number) {
    this.#database = database;
    this.#environment = environment;
    this.#now = now;
  }

  /** Records the answers to the messages of an entry. */
  async record(
    { endpoint, key }: LeasedWebhooks,
    number: number,
    answers: readonly NewAnswer[],
  ): Promise<void> {
    if (answers.length === 0) return;
    const at = new Date(this.#now()).toISOString();
    const rows = answers.map((answer) => ({ ...answer, answers: [{ at, outcome: answer.outcome }] }));
    await this.#database.query(RECORD, [this.#environment, endpoint, key, number, JSON.stringify(rows)]);
  }

  /** Removes up to 1,000 deliveries whose last answer is more than 30 days old. */
  async removeOld(): Promise<void> {
    await this.#database.query(REMOVE_OLD, [this.#environment, MOST_REMOVED]);
  }

  /** Returns the newest deliveries of a session, or those of one message, and the session's waiting webhooks. */
  async of(keyOrId: string): Promise<WebhookDeliveriesOf> {
    // The waiting webhooks are read first. A sender records the answer to a message before it removes the entry from the outbox. So in this
    // order, each message is in at least one of the two results.
    const waiting = await this.#waiting(keyOrId);
    const read = await this.#database.query<DeliveryRow>(DELIVERIES, [
      this.#environment,
      keyOrId,
      MOST_READ + 1,
    ]);
    const rows = read.slice(0, MOST_READ).reverse();
    const deliveries = rows.map((row) => {
      const next = waiting.find(({ endpoint, from }) => endpoint === row.endpoint && from === row.number);
      const nextTryAt = row.state === 'refused' ? next?.nextTryAt : undefined;
      return { ...row, ...(nextTryAt !== undefined && { nextTryAt }) };
    });
    return { deliveries, waiting, hasMore: read.length > MOST_READ };
  }

  async #waiting(keyOrId: string): Promise<readonly WaitingWebhooks[]> {
    const rows = await this.#database.query<WaitingRow>(WAITING, [this.#environment, keyOrId]);
    // In a test, the clock may be ahead of the database's clock. The difference is rounded, so that repeated reads return the same time.
    const aheadMs = Math.round((this.#now() - Date.now()) / 1_000) * 1_000;
    return rows.map(({ next_try_at: nextTryAt, ...waiting }) => ({
      ...waiting,
      ...(nextTryAt !== null && { nextTryAt: new Date(nextTryAt.getTime() + aheadMs).toISOString() }),
    }));
  }

  /** Returns the time until senders next try an endpoint, in milliseconds. Negative if an attempt is due. `undefined` if none is planned. */
  async nextTryInMs(endpoint: string): Promise<number | undefined> {
    const [row] = await this.#database.query<{ due_in_ms: number | null }>(NEXT_TRY, [
      this.#environment,
      endpoint,
    ]);
    return row?.due_in_ms ?? undefined;
  }

  /**
   * Queues messages of a session to be sent again. The messages keep their ids.
   *
   * With a key, all messages of its session are queued. With the id of a message, that message and all later messages of its session are queued,
   * because the messages of a session keep their order.
   *
   * @param endpoint the endpoint that receives the messages. @default all endpoints. With a message's id, the endpoints to which that message was
   * sent
   * @throws {@link PaysessionError} `SESSION_NOT_FOUND` if no session has this key and no message has this id
   * @throws {@link PaysessionError} `WEBHOOK_ENDPOINT_UNKNOWN` if the ledger does not know the endpoint, or does not know any endpoint
   */
  async resend(keyOrId: string, endpoint?: string): Promise<ResentWebhooks> {
    const messages = await this.#database.query<{ key: string; number: number; endpoint: string }>(
      'select key, number, endpoint from paysession_ledger.webhook_deliveries where environment = $1 and id = $2',
      [this.#environment, keyOrId],
    );
    const [message] = messages;
    const key = message?.key ?? keyOrId;
    const only = endpoint === undefined ? messages.map((one) => one.endpoint) : [endpoint];
    const sent = await this.#database.query<ResentWebhooks['endpoints'][number]>(RESEND, [
      this.#environment,
      key,
      message?.number ?? 1,
      only.length === 0 ? null : JSON.stringify(only),
    ]);
    if (sent.length === 0) throw await this.#nothingToSend(key, endpoint);
    return { key, from: message?.number ?? 1, endpoints: sent };
  }

  /** Returns the error that says why `resend` has queued nothing. */
  async #nothingToSend(key: string, endpoint: string | undefined): Promise<PaysessionError> {
    const known = await this.#database.query(
      'select 1 as one from paysession_ledger.entries where environment = $1 and key = $2 limit 1',
      [this.#environment, key],
    );
    return known.length > 0 ? unknownEndpoint(endpoint) : unknownMessageError(key);
  }
}

export function unknownMessageError(keyOrId: string): PaysessionError {
  const code = 'SESSION_NOT_FOUND';
  const happened = `The ledger knows no session "${keyOrId}", and no message of this id in the last 30 days.`;
  return new PaysessionError(code, withRemedy(code, happened));
}

type DeliveryRow = Omit<WebhookDelivery, 'nextTryAt'>;

type WaitingRow = Omit<WaitingWebhooks, 'nextTryAt'> & { readonly next_try_at: Date | null };

/** Adds answers. At most ten answers are kept: a new one replaces the oldest. If the endpoint was removed meanwhile, adds nothing. */
const RECORD = `
  insert into paysession_ledger.webhook_deliveries as d (environment, id, endpoint, key, number, type, state, answers)
    select $1, a.id, e.name, $3, $4, a.type, a.state, a.answers
      from jsonb_to_recordset($5::jsonb) as a (id text, type text, state text, answers jsonb)
      join paysession_ledger.webhook_endpoints e on e.environment = $1 and e.name = $2
  on conflict (environment, endpoint, id) do update set
    number = excluded.number, state = excluded.state, attempts = d.attempts + 1, written_at = clock_timestamp(),
    answers = case when jsonb_array_length(d.answers) < 10 then d.answers else d.answers - 0 end || excluded.answers`;

const REMOVE_OLD = `
  delete from paysession_ledger.webhook_deliveries where environment = $1 and (endpoint, id) in (
    select endpoint, id from paysession_ledger.webhook_deliveries
    where environment = $1 and written_at < now() - ${KEPT_FOR} order by written_at limit $2
  )`;

const DELIVERIES = `
  select id, type, key, number, endpoint, state, attempts, answers from paysession_ledger.webhook_deliveries
  where environment = $1 and (key = $2 or id = $2) order by number desc, written_at desc, endpoint desc limit $3`;

/** The time of a row's next attempt. Null if the endpoint is failing. */
const NEXT_TRY_AT = 'case when e.failing_since is null then greatest(o.due_at, e.probe_at) end';

const WAITING = `
  select o.endpoint, o.key, o.from_number as "from", o.to_number as "to", ${NEXT_TRY_AT} as next_try_at
  from paysession_ledger.webhook_outbox o
    join paysession_ledger.webhook_endpoints e on e.environment = o.environment and e.name = o.endpoint
  where o.environment = $1 and o.due_at < 'infinity' and o.key = coalesce(
    (select key from paysession_ledger.webhook_deliveries d where d.environment = $1 and d.id = $2 limit 1), $2)
  order by o.endpoint`;

const NEXT_TRY = `
  select (extract(epoch from min(${NEXT_TRY_AT}) - now()) * 1000)::float8 as due_in_ms
  from paysession_ledger.webhook_outbox o
    join paysession_ledger.webhook_endpoints e on e.environment = o.environment and e.name = o.endpoint
  where o.environment = $1 and o.endpoint = $2 and o.due_at < 'infinity'`;

/** Queues the entry `$3` and all later entries, because the outbox sends a session's entries in order. */
const RESEND = `
  with sent as (
    insert into paysession_ledger.webhook_outbox (environment, endpoint, key, from_number, to_number, waits_since, due_at)
      select environment, e.name, key, $3, max(number), min(written_at) filter (where number >= $3), now()
        from paysession_ledger.entries cross join (
          select name from paysession_ledger.webhook_endpoints
          where environment = $1 and ($4::jsonb is null or $4::jsonb ? name) order by name
        ) e
        where environment = $1 and key = $2
        group by environment, e.name, key having max(number) >= $3
      ${WITH_WAITING}
      returning endpoint
  )
  select name, failing_since is not null as "isFailing"
  from sent join paysession_ledger.webhook_endpoints e on e.environment = $1 and e.name = sent.endpoint order by name`;
