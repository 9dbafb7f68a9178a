import {
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
  type ConnectionOptions,
} from '@temporalio/client';
import { PaysessionError } from '../errors';
import { GRPC, grpcAnswerOf } from '../protocol/temporal/grpc';
import type { TemporalSettings } from './temporal-settings';

/** A connection to Temporal, for a `Client`. The caller closes it. */
export interface TemporalConnection {
  readonly connection: Connection;
  readonly namespace: string;
}

export interface ConnectOptions {
  /** The longest wait for the server’s first answer, in milliseconds. @default 5000 */
  readonly connectTimeoutMs?: number;
}

/** gRPC's own limit is two minutes: a client would notice too late that a server is back. */
const channelArgs = { 'grpc.max_reconnect_backoff_ms': 5_000 };

/** Connects to Temporal and makes sure that it answers. Throws `PaysessionError` `TEMPORAL_UNAVAILABLE`. */
export async function connectTemporal(
  { connection: options, namespace }: Pick<TemporalSettings, 'connection' | 'namespace'>,
  { connectTimeoutMs = 5_000 }: ConnectOptions = {},
): Promise<TemporalConnection> {
  const connection = closingConnection({ ...options, channelArgs, connectTimeout: connectTimeoutMs });
  try {
    await connection.ensureConnected();
    return { connection, namespace };
  } catch (cause) {
    await connection.close();
    throw new PaysessionError('TEMPORAL_UNAVAILABLE', whyUnavailable(options.address, cause), { cause });
  }
}

function whyUnavailable(address: string, cause: unknown): string {
  const code = grpcAnswerOf(cause)?.code;
  return code === GRPC.PERMISSION_DENIED || code === GRPC.UNAUTHENTICATED
    ? `The Temporal server at ${address} refuses the credentials. Correct TEMPORAL_API_KEY or the TEMPORAL_TLS_* settings.`
    : `The Temporal server at ${address} does not answer. Start one with \`paysession dev\`, or correct TEMPORAL_ADDRESS and the TEMPORAL_TLS_* settings.`;
}

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];

/** A call that ends at once. */
const endedCall = {
  start: (metadata: unknown, listener?: { onReceiveStatus?: (status: object) => void }) => {
    listener?.onReceiveStatus?.({ code: GRPC.CANCELLED, details: 'the connection is closed', metadata });
  },
  sendMessage: () => undefined,
  halfClose: () => undefined,
};

/**
 * Returns a lazy connection that may be closed while a call waits for its retry: the retry then ends. The SDK's own retry would
 * throw in a timer, which ends the process.
 */
export function closingConnection(options: ConnectionOptions): Connection {
  const progress = { closed: false };
  const guard = (call: object, nextCall: (call: object) => unknown) =>
    progress.closed ? endedCall : nextCall(call);
  const retry = makeGrpcRetryInterceptor(defaultGrpcRetryOptions());
  const interceptors = [retry, guard as unknown as Interceptor];
  const connection = Connection.lazy({ ...options, interceptors });
  const close = connection.close.bind(connection);
  connection.close = async () => {
    progress.closed = true;
    await close();
  };
  return connection;
}
