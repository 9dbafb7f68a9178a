import { WEBHOOK_METRICS } from '../../src/protocol/webhook-metrics';
import { SESSION_METRICS, type MetricRow } from '../../src/protocol/temporal/telemetry';

const SECONDS_OF_A_CALL = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];
const SECONDS_OF_A_STATEMENT = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const SECONDS_TO_WAIT = [0.01, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const SECONDS_BETWEEN_POLLS = [1, 2.5, 5, 10, 20, 30, 60, 300, 1_800, 7_200, 86_400];

const SECONDS_TO_DELIVER = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600, 86_400];

/** Metrics of each worker and of its calls. */
export const WORKER_METRICS = {
  serviceCalls: {
    name: 'paysession_service_calls_total',
    type: 'counter',
    labels: ['account', 'call', 'class'],
    meaning:
      'Exchanges with the payment service, by `call` (`authorize`, `create`, `details`, `cancel`) and `class`: of the HTTP status, `429` apart from the other `4xx`; `unreachable`: nothing was sent; `interrupted`: sent, and no whole answer; `aborted`: given up on this side. Polls are `details`: polls per session are those by the sessions that ended.',
  },
  serviceLatency: {
    name: 'paysession_service_call_duration_seconds',
    type: 'histogram',
    labels: ['account', 'call'],
    meaning:
      'From a connection’s turn to the end of the answer or of the wait for it; without `unreachable` and `aborted` exchanges.',
    buckets: SECONDS_OF_A_CALL,
  },
  turnWait: {
    name: 'paysession_turn_wait_duration_seconds',
    type: 'histogram',
    labels: ['account', 'call'],
    meaning:
      'How long calls that went waited for their turn: for the account’s rate, a pause or a connection. `call` is `create`, `poll`, `refresh` or `cancel`.',
    buckets: SECONDS_TO_WAIT,
  },
  turnedAway: {
    name: 'paysession_turned_away_total',
    type: 'counter',
    labels: ['account', 'call'],
    meaning: 'Calls that gave up waiting for their turn, or found no place to wait; they are retried later.',
  },
  pauses: {
    name: 'paysession_pauses_total',
    type: 'counter',
    labels: ['account', 'cause'],
    meaning:
      'Pauses of an account’s calls, by the error code that began them. One that is renewed counts once.',
  },
  paused: {
    name: 'paysession_account_paused',
    type: 'gauge',
    labels: ['account'],
    meaning: '1 while this worker pauses calls of the account, else 0.',
  },
  tokens: {
    name: 'paysession_tokens_renewed_total',
    type: 'counter',
    labels: ['account'],
    meaning: 'Access tokens that the service issued.',
  },
  changeDelay: {
    name: 'paysession_change_delay_seconds',
    type: 'histogram',
    labels: ['account'],
    meaning:
      'The longest possible delay between a change of state and its detection: the time since the poll before. The service does not say when a state changed. Where each poll is an attempt of its own, the poll before is taken to be one interval of the cadence ago; after failed polls and the loss of a worker the figure is too small.',
    buckets: SECONDS_BETWEEN_POLLS,
  },
  health: {
    name: 'paysession_worker_check',
    type: 'gauge',
    labels: ['check'],
    meaning:
      '1 while a check of this worker’s health is passed, else 0: `polling`, `temporal` and `credentials`, as at `/readyz`.',
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
    meaning: 'The most sessions that this worker holds; further ones cost an activity for each poll.',
  },
  undecryptable: {
    name: 'paysession_payloads_undecryptable_total',
    type: 'counter',
    labels: [],
    meaning: 'Times that this worker was given data that it has no key for; attempts are retried.',
  },
  ledgerAway: {
    name: 'paysession_ledger_away',
    type: 'gauge',
    labels: [],
    meaning:
      '1 while this worker’s ledger answers no call, else 0; checked every 15 seconds. No session is created meanwhile. Absent where the worker has no ledger.',
  },
  ledgerFailures: {
    name: 'paysession_ledger_failures_total',
    type: 'counter',
    labels: ['call'],
    meaning:
      'Calls to the ledger that failed, by `call`: a `claim` is retried before its session is created; the facts of a failed `record` or `end` are recorded when the session ends, or by a sweep; `check` checks that the ledger answers.',
  },
  ledgerLatency: {
    name: 'paysession_ledger_call_duration_seconds',
    type: 'histogram',
    labels: ['call'],
    meaning: 'How long calls to the ledger took that succeeded, by `call`.',
    buckets: SECONDS_OF_A_STATEMENT,
  },
  hints: {
    name: 'paysession_hints_total',
    type: 'counter',
    labels: ['outcome'],
    meaning:
      'Requests to this worker’s endpoint of hints, by `outcome`: `taken`; `empty`: they named no session; `refused`: without the secret or the signature; `limited`: too many came, and at least one session was left to its next poll. Absent without the endpoint.',
  },
  hintedSessions: {
    name: 'paysession_hinted_sessions_total',
    type: 'counter',
    labels: ['outcome'],
    meaning:
      'Sessions that hints named, by `outcome`: `refreshed`; `unknown`: no open session of the task queue has the id; `failed`: Temporal or the workflow did not answer. Hints that come together count once. Absent without the endpoint.',
  },
  returnsWaiting: {
    name: 'paysession_returns_waiting',
    type: 'gauge',
    labels: [],
    meaning:
      'Payments whose money came back and of which no person has recorded what was done, as the ledger counts them about twice a minute. Every worker reports the same figure: take the maximum, not the sum. Absent where the worker has no ledger.',
  },
  webhookDeliveryDelay: {
    name: 'paysession_webhook_delivery_delay_seconds',
    type: 'histogram',
    labels: ['endpoint'],
    meaning: 'From the ledger’s entry to the endpoint’s answer that it has accepted the message.',
    buckets: SECONDS_TO_DELIVER,
  },
  openSessions: {
    name: 'paysession_open_sessions',
    type: 'gauge',
    labels: ['phase'],
    meaning:
      'Sessions that have not ended on the worker’s task queue, by phase, as Temporal’s index counts them about twice a minute. Every worker reports the same figure: take the maximum, not the sum.',
  },
} as const satisfies Record<string, MetricRow>;

/** All metrics of paysession. The endpoint, the documentation and the tests follow this table. */
export const METRICS: readonly MetricRow[] = [
  ...Object.values(SESSION_METRICS),
  ...Object.values(WORKER_METRICS),
  ...Object.values(WEBHOOK_METRICS),
];
