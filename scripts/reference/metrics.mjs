import metrics from '../../dist/worker/observing/metrics-table.js';
import keeper from '../../dist/ledger/log/keeper-metrics.js';
import webhooks from '../../dist/src/protocol/webhook-metrics.js';
import { code, page, table } from './markdown.mjs';

const buckets = ({ buckets: bounds }) =>
  bounds === undefined ? '' : ` Buckets up to ${bounds.join(', ')} s.`;

const columns = [
  ['Metric', ({ name }) => code(name)],
  ['Type', ({ type }) => type],
  ['Labels', ({ labels }) => labels.map(code).join(', ')],
  ['Meaning', (row) => row.meaning + buckets(row)],
];

export const metricsPage = page(
  'Metrics',
  '`paysession worker` serves these metrics at `http://PAYSESSION_METRICS_HOST:PAYSESSION_METRICS_PORT/metrics` in Prometheus’ format, together with the metrics of Temporal’s SDK (`temporal_…`, durations in seconds). Without `PAYSESSION_METRICS_PORT`, it serves none. A program that runs `createWorker` itself gets its worker’s metrics with `installRuntime` of `paysession/worker`, or from its own exporter in `Runtime.install`, which then sets the buckets. There, `paysession_worker_check` needs `watchHealth()`, and webhooks have no metrics.',
  table(metrics.METRICS, columns),
  '## The keeper of the ledger',
  '`paysession ledger keep --metrics-port` serves these metrics at `/metrics`.',
  table(Object.values(keeper.KEEPER_METRICS), columns),
  '## A webhook sender',
  '`paysession webhooks send --metrics-port` serves these of the metrics above at `/metrics`: ' +
    `${Object.values(webhooks.WEBHOOK_METRICS)
      .map(({ name }) => code(name))
      .join(', ')}.`,
  '## Labels',
  [
    '- A worker’s metrics also have the labels `namespace` and `taskQueue`. Metrics that workflows count also have `workflowType`.',
    '- `account` is the account’s name in the worker’s settings. Any other account has the label `other`, and so have statuses and codes that this version does not know. So callers and the payment service cannot add values of labels.',
    '- No label holds a key, a reference, a session id or personal data of a payor.',
  ].join('\n'),
  '## Counting',
  [
    '- Replay counts nothing, so a session counts once, even if it moves to another worker. Counters begin at 0 with each worker process: use `rate` and `increase`, and sum over workers.',
    '- If a worker is lost during a workflow task, or a message reaches a session just as it ends, the Temporal server retries the task. The events of this task may then count twice.',
    '- Most counters that alerts watch are 0 before the first event, so that the first event is an increase.',
  ].join('\n'),
  'A Grafana dashboard and alert rules are in the package’s `deploy` folder.',
);
