import { WEBHOOK_METRICS } from '../../src/protocol/webhook-metrics';
import { SESSION_METRICS, type MetricRow } from '../../src/protocol/temporal/telemetry';

const SECONDS_OF_A_CALL = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];
const SECONDS_OF_A_STATEMENT = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const SECONDS_TO_WAIT = [0.01, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const SECONDS_BETWEEN_POLLS = [1, 2.5, 5, 10, 20, 30, 60, 300, 1_800, 7_200, 86_400];

const SECONDS_TO_DELIVER = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600, 86_400];

/** The metrics of a worker and of its calls. `docs/reference` is generated from this table. */
export const WORKER_METRICS = {
  serviceCalls: {
    name: 'paysession_service_calls_total',
    type: 'counter',
    labels: ['account', 'call', 'class'],
    meaning:
      'Exchanges with the payment service. `call` is `authorize`, `create`, `details` (reads of a session, such as polls) or `cancel`. `class` is that of the HTTP status, such as `2xx`, with `429` apart from the other `4xx`. Without an answer, or if a `2xx` answer is cut off, `class` is `unreachable` (nothing was sent), `interrupted` (the request was sent) or `aborted` (the worker stopped the call early).',
  },
  serviceLatency: {
    name: 'paysession_service_call_duration_seconds',
    type: 'histogram',
    labels: ['account', 'call'],
    meaning:
      'Duration of an exchange, including connecting, until the answer or the wait for it ended. `unreachable` and `aborted` exchanges do not count.',
    buckets: SECONDS_OF_A_CALL,
  },
  turnWait: {
    name: 'paysession_turn_wait_duration_seconds',
    type: 'histogram',
    labels: ['account', 'call'],
    meaning:
      'Time that sent calls had waited for their turn: for the account’s rate, a pause or a connection. `call` is `create`, `poll`, `refresh` or `cancel`.',
    buckets: SECONDS_TO_WAIT,
  },
  turnedAway: {
    name: 'paysession_turned_away_total',
    type: 'counter',
    labels: ['account', 'call'],
    meaning:
      'Calls that were not sent, because their turn did not come in time or too many calls waited. They are retried later.',
  },
  pauses: {
    name: 'paysession_pauses_total',
    type: 'counter',
    labels: ['account', 'cause'],
    meaning:
      'Pauses of an account’s calls, by error code. A pause that is extended counts once, but again if its code changes, or if it holds back other kinds of calls. A pause for `SERVICE_RATE_LIMITED` within a minute after the last one does not count.',
  },
  paused: {
    name: 'paysession_account_paused',
    type: 'gauge',
    labels: ['account'],
    meaning:
      '1 while a pause that `paysession_pauses_total` counts blocks calls of the account, else 0. It is 0 during a pause in which no call asks for its turn.',
  },
  tokens: {
    name: 'paysession_tokens_renewed_total',
    type: 'counter',
    labels: ['account'],
    meaning: 'Access tokens that the payment service issued.',
  },
  changeDelay: {
    name: 'paysession_change_delay_seconds',
    type: 'histogram',
    labels: ['account'],
    meaning:
      'Time between the poll that found a change of state and the poll before it: the longest possible delay, because the payment service does not report when a state changed. For a session that no worker holds, and after the loss of a worker, the poll before is assumed to be one interval ago. After failed polls or the loss of a worker, the time may be too short.',
    buckets: SECONDS_BETWEEN_POLLS,
  },
  health: {
    name: 'paysession_worker_check',
    type: 'gauge',
    labels: ['check'],
    meaning:
      '1 if this worker passes a check of its health, else 0. The checks are those of `/readyz`: `polling`, `temporal` and `credentials`.',
  },
  held: {
    name: 'paysession_sessions_held',
    type: 'gauge',
    labels: [],
    meaning: 'Open sessions that this worker holds between polls.',
  },
  heldLimit: {
    name: 'paysession_sessions_held_limit',
    type: 'gauge',
    labels: [],
    meaning:
      'The maximum number of sessions that this worker can hold. For further sessions, the Temporal server schedules each poll.',
  },
  undecryptable: {
    name: 'paysession_payloads_undecryptable_total',
    type: 'counter',
    labels: [],
    meaning:
      'Times that this worker received data without having its encryption key. The Temporal server retries the task, unless the session can do without the data.',
  },
  ledgerAway: {
    name: 'paysession_ledger_away',
    type: 'gauge',
    labels: [],
    meaning:
      '1 after a call to this worker’s ledger failed, until calls succeed again, else 0; checked every 15 seconds. While the ledger does not answer, no session is created. Absent if the worker has no ledger.',
  },
  ledgerFailures: {
    name: 'paysession_ledger_failures_total',
    type: 'counter',
    labels: ['call'],
    meaning:
      'Calls to the ledger that failed, by `call`. A failed `claim` is retried before its session is created. What a failed `record` or `end` should have recorded is recorded when the session ends, or by a sweep. A failed `check` loses nothing.',
  },
  ledgerLatency: {
    name: 'paysession_ledger_call_duration_seconds',
    type: 'histogram',
    labels: ['call'],
    meaning: 'Duration of successful calls to the ledger, by `call`.',
    buckets: SECONDS_OF_A_STATEMENT,
  },
  hints: {
    name: 'paysession_hints_total',
    type: 'counter',
    labels: ['outcome'],
    meaning:
      'Requests to this worker’s endpoint of hints, by `outcome`: `taken`, `empty` (without a session id), `refused` (without the secret or the signature) or `limited` (too many at once, so a session that the request names may wait for its next poll). Absent without the endpoint.',
  },
  hintedSessions: {
    name: 'paysession_hinted_sessions_total',
    type: 'counter',
    labels: ['outcome'],
    meaning:
      'Sessions that hints named, by `outcome`: `refreshed`, `unknown` (no open session of the task queue has the id) or `failed` (the Temporal server or the workflow did not answer). Hints for a session that already waits for its refresh count once. Absent without the endpoint.',
  },
  returnsWaiting: {
    name: 'paysession_returns_waiting',
    type: 'gauge',
    labels: [],
    meaning:
      'Payments whose money came back and for which no person has recorded what was done about it, counted in the ledger about twice a minute. Every worker reports the same number: take the maximum, not the sum. Absent if the worker has no ledger.',
  },
  webhookDeliveryDelay: {
    name: 'paysession_webhook_delivery_delay_seconds',
    type: 'histogram',
    labels: ['endpoint'],
    meaning: 'Time from the ledger’s entry to the endpoint’s answer that accepts the message.',
    buckets: SECONDS_TO_DELIVER,
  },
  openSessions: {
    name: 'paysession_open_sessions',
    type: 'gauge',
    labels: ['phase'],
    meaning:
      'Sessions of the worker’s task queue that have not ended, by phase, counted in Temporal’s index about twice a minute. Every worker reports the same number: take the maximum, not the sum.',
  },
} as const satisfies Record<string, MetricRow>;

/** All metrics of a worker, except the metrics of Temporal's SDK. */
export const METRICS: readonly MetricRow[] = [
  ...Object.values(SESSION_METRICS),
  ...Object.values(WORKER_METRICS),
  ...Object.values(WEBHOOK_METRICS),
];
