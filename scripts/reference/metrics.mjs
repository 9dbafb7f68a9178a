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
  'Metrics that a worker serves at `http://PAYSESSION_METRICS_HOST:PAYSESSION_METRICS_PORT/metrics` in Prometheus’ form, together with the metrics of Temporal’s SDK (`temporal_…`, durations in seconds). Without `PAYSESSION_METRICS_PORT` there is no endpoint. A program that runs `createWorker` itself gets the same metrics from the exporter that it gives `Runtime.install`.',
  table(metrics.METRICS, columns),
  '## The keeper of the ledger',
  '`paysession ledger keep --metrics-port` serves these at `/metrics`.',
  table(Object.values(keeper.KEEPER_METRICS), columns),
  '## A webhook sender',
  '`paysession webhooks send --metrics-port` serves these of the metrics above at `/metrics`: ' +
    `${Object.values(webhooks.WEBHOOK_METRICS)
      .map(({ name }) => code(name))
      .join(', ')}.`,
  '## Labels',
  [
    '- Temporal’s SDK adds `namespace`, `taskQueue` and, to metrics that workflows count, `workflowType`.',
    '- `account` is the account’s name in the worker’s settings. Any other is `other`, as are statuses and codes that this version does not know: labels stay few, whatever a caller or the payment service sends.',
    '- No label holds a key, a reference, a session id or personal data of a payor.',
  ].join('\n'),
  '## Counting',
  [
    '- Replay counts nothing: a session counts once, whichever workers it moves through. Counters begin at 0 with each worker process; use `rate` and `increase`, and sum over workers.',
    '- If a worker is lost during a workflow task, or a message overtakes the end of a session, the Temporal server retries the task. Its counts may then be counted twice.',
    '- Metrics that alerts watch are 0 before the first event, so that the first event is an increase.',
  ].join('\n'),
  'A Grafana dashboard and alert rules are in the package’s `deploy` folder.',
);
