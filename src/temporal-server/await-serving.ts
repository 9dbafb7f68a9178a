import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { isPaysessionError } from '../errors';
import { ensureAttributes } from '../settings/register-search-attributes';

export interface ServingOptions {
  readonly address: string;
  readonly namespace: string;
  /** The search attributes that the namespace must have. */
  readonly searchAttributes: readonly string[];
  /** Abort this signal to end the wait. */
  readonly signal: AbortSignal;
}

const POLL_MS = 25;
const CALL_TIMEOUT_MS = 2_000;

/**
 * Waits until the server answers for the namespace and has the search attributes. Registers search attributes that the namespace lacks.
 * Rejects if a call fails after the signal has aborted, or if an attribute has a wrong type.
 */
export async function awaitServing({
  address,
  signal,
  namespace,
  ...options
}: ServingOptions): Promise<void> {
  await untilAnswered(address, signal, async (connection) => {
    await connection.workflowService.describeNamespace({ namespace });
    // At startup, the server registers search attributes only for a namespace that it creates. An older database may
    // lack some.
    await ensureAttributes(connection, { namespace, names: options.searchAttributes });
  });
}

/** Waits until the server answers any call. Rejects if a call fails after the signal has aborted. */
export async function awaitAnswer(address: string, signal: AbortSignal): Promise<void> {
  await untilAnswered(address, signal, async (connection) => {
    await connection.workflowService.getSystemInfo({});
  });
}

async function untilAnswered(
  address: string,
  signal: AbortSignal,
  ask: (connection: Connection) => Promise<void>,
): Promise<void> {
  const connection = connect(address);
  try {
    await untilItWorks(signal, () =>
      connection.withDeadline(Date.now() + CALL_TIMEOUT_MS, () => ask(connection)),
    );
  } finally {
    await connection.close();
  }
}

/** Returns a connection that reconnects quickly, and never repeats a call. */
function connect(address: string): Connection {
  return Connection.lazy({
    address,
    interceptors: [],
    channelArgs: {
      'grpc.initial_reconnect_backoff_ms': POLL_MS,
      'grpc.min_reconnect_backoff_ms': POLL_MS,
      'grpc.max_reconnect_backoff_ms': POLL_MS,
      'grpc.use_local_subchannel_pool': 1,
    },
  });
}

/**
 * Repeats a call until it succeeds. Rejects with the call's error if the signal has aborted, or if a search attribute has a wrong type.
 */
export async function untilItWorks(signal: AbortSignal, call: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await call();
      return;
    } catch (error) {
      if (signal.aborted || isPaysessionError(error, 'SEARCH_ATTRIBUTES_MISTYPED')) throw error;
      await sleep(POLL_MS);
    }
  }
}
