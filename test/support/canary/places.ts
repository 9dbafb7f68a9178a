import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { exportSession } from '../../../testkit';
import { everythingIn } from '../everything-in';

/** Everything that the sessions of a scene have left behind: in Temporal, logs, metrics, traces and outputs. */
export interface Traces {
  /** The folder of the Temporal server’s database. */
  readonly folder: string;
  /** A client without encryption keys. */
  readonly client: Client;
  /** A client with the workers' encryption keys, if there are any. */
  readonly keyed: Client;
  /** The sessions' keys. */
  readonly keys: readonly string[];
  /** All log lines of the worker, at the most detailed level. */
  readonly log: readonly string[];
  /** The metrics that Prometheus reads. */
  readonly metrics: string;
  /** The spans that a trace collector has received, including all polls. */
  readonly spans: string;
  /** The output of a worker process that crashed. */
  readonly crash: string;
  /** All settings, as `paysession doctor` shows them. */
  readonly doctor: string;
}

/** A place that the canary test searches. */
export interface Place {
  /** Its name in the table. */
  readonly name: string;
  readonly read: (traces: Traces) => Buffer | Promise<Buffer>;
}

/** All places. They are the rows of the encryption guide’s table. */
export const PLACES: readonly Place[] = [
  { name: 'Temporal database', read: ({ folder }) => filesIn(folder) },
  { name: 'history', read: async (traces) => textOf(await each(traces, historyOf)) },
  { name: 'failures', read: async (traces) => textOf(failuresIn(await each(traces, historyOf))) },
  {
    name: 'search attributes',
    read: async (traces) =>
      textOf(await each(traces, async (...of) => (await describe(...of))?.searchAttributes)),
  },
  {
    name: 'memo',
    read: async (traces) => textOf(await each(traces, async (...of) => (await describe(...of))?.memo)),
  },
  { name: 'worker log', read: ({ log }) => Buffer.from(log.join('')) },
  { name: 'metrics', read: ({ metrics }) => Buffer.from(metrics) },
  { name: 'traces', read: ({ spans }) => Buffer.from(spans) },
  {
    name: 'export',
    read: async ({ keyed, keys }) => textOf(await Promise.all(keys.map((key) => exportSession(keyed, key)))),
  },
  { name: 'crash output', read: ({ crash }) => Buffer.from(crash) },
  { name: 'doctor', read: ({ doctor }) => Buffer.from(doctor) },
];

/** Returns the bytes of all files of a folder, including the database's write-ahead log. */
function filesIn(folder: string): Buffer {
  return Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))));
}

/** Returns all texts and bytes in a value, as bytes. The bytes stay as they are, so that the search finds base64 in them. */
const textOf = (value: unknown): Buffer => Buffer.from(everythingIn(value), 'latin1');

type Of = (client: Client, workflowId: string) => Promise<unknown>;

function each({ client, keys }: Traces, read: Of): Promise<unknown[]> {
  return Promise.all(keys.map((key) => read(client, `payment-session/${key}`)));
}

async function historyOf({ workflowService }: Client, workflowId: string): Promise<unknown> {
  const { history } = await workflowService.getWorkflowExecutionHistory({
    namespace: 'default',
    execution: { workflowId },
  });
  return history;
}

async function describe({ workflowService }: Client, workflowId: string) {
  const { workflowExecutionInfo } = await workflowService.describeWorkflowExecution({
    namespace: 'default',
    execution: { workflowId },
  });
  return workflowExecutionInfo;
}

/** Returns the failures within a value. Each has its message, stack trace, details and causes. */
function failuresIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) =>
    /^(failure|lastFailure|cause)$/.test(name) ? [member] : failuresIn(member),
  );
}
