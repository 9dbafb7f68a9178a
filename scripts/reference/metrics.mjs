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
  '`paysession worker` serves these metrics at `http://PAYSESSION_METRICS_HOST:PAYSESSION_METRICS_PORT/metrics` in Prometheus’ format, together with the metrics of Temporal’s SDK (`temporal_…`, durations in seconds). Without `PAYSESSION_METRICS_PORT`, it serves no metrics. A program of your own that calls `createWorker` gets its worker’s metrics with `installRuntime` of `paysession/worker`. Or it sets an exporter in `Runtime.install`, which then also decides the buckets. In such a program, `paysession_worker_check` needs `watchHealth()`, and webhooks have no metrics.',
  table(metrics.METRICS, columns),
  '## The keeper of the ledger',
  '`paysession ledger keep --metrics-port` serves these metrics at `/metrics`.',
  table(Object.values(keeper.KEEPER_METRICS), columns),
  '## A webhook sender',
  'From the list above, `paysession webhooks send --metrics-port` serves these metrics at `/metrics`: ' +
    `${Object.values(webhooks.WEBHOOK_METRICS)
      .map(({ name }) => code(name))
      .join(', ')}.`,
  '## Labels',
  [
    '- A worker’s metrics also have the labels `namespace` and `taskQueue`. Metrics that workflows count also have `workflowType`.',
    '- `account` is the account’s name in the worker’s settings. Any other account has the label `other`. Statuses and codes that this version does not know have the label `other`, too. So callers and the payment service cannot add values of labels.',
    '- No label contains a key, a reference, a session id or personal data of a payor.',
  ].join('\n'),
  '## Counting',
  [
    '- A replay counts nothing. So a session counts once, even if it moves to another worker. Counters begin at 0 in each worker process. Use `rate` and `increase`, and sum over all workers.',
    '- The Temporal server retries a workflow task if its worker is lost, or if a message reaches a session just before the session ends. The events of this task may then count twice.',
    '- Most counters that alerts watch are 0 before the first event, so that the first event is an increase.',
  ].join('\n'),
  'A Grafana dashboard and alert rules are in the package’s `deploy` folder.',
);
