import { expect, test } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { keepLedger } from '../../../ledger/log/keep-ledger';
import type { PaymentLedger } from '../../../ledger';
import { workflowIdOf } from '../../../src/protocol/names';

const HOUR_MS = 3_600_000;

/** Returns a client of a Temporal server with one unreadable session, and the list of the queries that sweeps send. */
function temporalWith(closedAtMs: number) {
  const queries: string[] = [];
  const closeTime = { seconds: { toNumber: () => Math.floor(closedAtMs / 1_000) } };
  const client = {
    options: { namespace: 'default' },
    workflowService: {
      describeNamespace: () => Promise.resolve({ namespaceInfo: { id: 'one' } }),
      listWorkflowExecutions: ({ query }: { readonly query: string }) => {
        queries.push(query);
        const execution = { workflowId: workflowIdOf('order-7'), runId: 'run-1' };
        return Promise.resolve({ executions: [{ execution, closeTime }], nextPageToken: new Uint8Array() });
      },
      getWorkflowExecutionHistoryReverse: () => Promise.reject(new Error('the key is missing')),
    },
  };
  return { client: client as unknown as Client, queries };
}

const noneFound = () => Promise.resolve({ count: 0 });
const ledger = {
  namespaces: { refuseElsewhere: () => Promise.resolve() },
  endsAmong: () => Promise.resolve([]),
  payments: { totals: noneFound },
  unmatched: { totals: noneFound },
  verify: () => Promise.resolve({ entries: 0, waiting: 0 }),
} as unknown as PaymentLedger;

// The ledger's keeper runs jobs at intervals. A sweep reads ended sessions from Temporal, and records what the ledger lacks.
test('each sweep reads again the sessions that earlier sweeps could not read, even if they ended long ago', async () => {
  const closedAtMs = Math.floor(Date.now() / 1_000) * 1_000 - 30 * HOUR_MS;
  const { client, queries } = temporalWith(closedAtMs);
  const stopping = new AbortController();
  const unrecorded: number[] = [];
  await keepLedger({
    ledger,
    client,
    everyMs: { checkpoint: HOUR_MS, sweep: 1, verify: HOUR_MS },
    signal: stopping.signal,
    onEvent: (event) => {
      if (event.kind === 'swept') unrecorded.push(event.unrecorded);
      if (unrecorded.length === 3) stopping.abort();
    },
  });
  expect(unrecorded).toEqual([1, 1, 1]);
  expect(queries.slice(1)).toEqual(
    queries.slice(1).map(() => expect.stringContaining(new Date(closedAtMs).toISOString())),
  );
});

test('a job of the ledger’s keeper waits for its whole interval, even if the interval is longer than Node’s longest timer', async () => {
  const stopping = new AbortController();
  const counts = { swept: 0, verified: 0 };
  await keepLedger({
    ledger,
    client: temporalWith(Date.now()).client,
    everyMs: { checkpoint: HOUR_MS, sweep: 30 * 24 * HOUR_MS, verify: 1 },
    signal: stopping.signal,
    onEvent: ({ kind }) => {
      if (kind === 'swept' || kind === 'verified') counts[kind] += 1;
      if (counts.verified === 20) stopping.abort();
    },
  });
  expect(counts).toEqual({ swept: 1, verified: 20 });
});
