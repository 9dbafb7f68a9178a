import type { OpsKind } from '../../src/protocol/webhooks';
import type { LedgerDatabase } from '../postgres/database';

/** A condition about which operators receive a message: calls of an account are paused, or sessions of an account wait for a decision. */
export interface OpsCondition {
  readonly kind: OpsKind;
  readonly account: string;
  readonly beganAt: Date;
  /** The text of `beganAt` in full precision. It distinguishes this condition from earlier ones of the same kind and account. */
  readonly began: string;
  /** The cause of the pause, or the number of sessions that wait. */
  readonly detail: string;
}

/** If a condition has not been reported for this long, it is over. If it is reported afterwards, a new condition begins. */
const OVER_AFTER = "interval '30 seconds'";
/** The time that a condition must last before a message is sent. An operator need not act on a shorter one. */
const SENT_AFTER = "interval '1 minute'";
/** If the number of waiting sessions grows, another message is sent, but only after the condition has lasted this long. */
const MORE_AFTER = "interval '15 minutes'";

/** The conditions about which endpoints for operators receive messages. All methods throw the errors of `LedgerDatabase`. */
export class OpsConditions {
  readonly #database: LedgerDatabase;
  readonly #environment: string;

  constructor(database: LedgerDatabase, environment: string) {
    this.#database = database;
    this.#environment = environment;
  }

  /** Records that calls of an account are paused. While a pause blocks calls, workers call this method every few seconds. */
  async accountPaused(account: string, cause: string): Promise<void> {
    await this.#database.query(
      `insert into paysession_ledger.ops_conditions as known (environment, kind, account, detail)
        values ($1, 'ops.account_paused', $2, $3)
        on conflict (environment, kind, account) do update set detail = excluded.detail, ${beginsAgainIf(OVER)}`,
      [this.#environment, account, cause],
    );
  }

  /**
   * Records, for each account, the number of sessions that wait for a decision. If the number grows after a message was sent, a new condition
   * begins, so that another message is sent. Without this, one session that waits for days would hide all later sessions.
   */
  async countParked(): Promise<void> {
    await this.#database.query(
      `insert into paysession_ledger.ops_conditions as known (environment, kind, account, detail)
        select environment, 'ops.parked', account, count(*)::text from paysession_ledger.claims
        where environment = $1 and parked and stands group by environment, account
        on conflict (environment, kind, account) do update set
          detail = case when known.sent_to = '{}' or ${OVER} or ${MORE} then excluded.detail
            else least(known.detail::bigint, excluded.detail::bigint)::text end,
          ${beginsAgainIf(`${OVER} or ${MORE}`)}`,
      [this.#environment],
    );
  }

  /** Returns the conditions of these kinds that have lasted for a minute and about which the endpoint has received no message. */
  async due(endpoint: string, kinds: readonly OpsKind[]): Promise<readonly OpsCondition[]> {
    return this.#database.query<OpsCondition>(
      `select kind, account, began_at as "beganAt", began_at::text as began, detail from paysession_ledger.ops_conditions
        where environment = $1 and $2 <> all (sent_to) and kind in (select jsonb_array_elements_text($3::jsonb))
          and seen_at > clock_timestamp() - ${OVER_AFTER} and began_at <= seen_at - ${SENT_AFTER}
        order by began_at, kind, account`,
      [this.#environment, endpoint, JSON.stringify(kinds)],
    );
  }

  /** Records that an endpoint has received the message about a condition. */
  async sentTo(endpoint: string, { kind, account, began }: OpsCondition): Promise<void> {
    await this.#database.query(
      `update paysession_ledger.ops_conditions set sent_to = sent_to || $2::text
        where environment = $1 and kind = $3 and account = $4 and began_at::text = $5 and $2 <> all (sent_to)`,
      [this.#environment, endpoint, kind, account, began],
    );
  }
}

const OVER = `known.seen_at < clock_timestamp() - ${OVER_AFTER}`;
/** True if more sessions wait than when the last message was sent, or than at the smallest number since then. */
const MORE = `(known.sent_to <> '{}' and known.began_at < clock_timestamp() - ${MORE_AFTER} and excluded.detail::bigint > known.detail::bigint)`;

/** Returns SQL that records a report of a known condition. If the SQL condition `isOther` is true, a new condition begins now. */
const beginsAgainIf = (isOther: string): string => `
  seen_at = clock_timestamp(),
  began_at = case when ${isOther} then clock_timestamp() else known.began_at end,
  sent_to = case when ${isOther} then '{}' else known.sent_to end`;
