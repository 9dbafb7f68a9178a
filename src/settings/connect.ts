import { Connection } from '@temporalio/client';
import { PaysessionError } from '../errors';
import { GRPC, grpcAnswerOf, letClose } from '../protocol/temporal/grpc';
import type { TemporalSettings } from './temporal-settings';

/** A connection to Temporal, for a `Client`. The caller must close it. */
export interface TemporalConnection {
  readonly connection: Connection;
  readonly namespace: string;
}

export interface ConnectOptions {
  /** The longest wait for the server’s first answer, in milliseconds. @default 5000 */
  readonly connectTimeoutMs?: number;
}

/**
 * Shortens the pause between attempts to connect. By default, gRPC waits up to two minutes, so a client would notice late that a
 * server is back.
 */
const channelArgs = { 'grpc.max_reconnect_backoff_ms': 5_000 };

/**
 * Connects to Temporal. Throws `PaysessionError` `TEMPORAL_UNAVAILABLE` if the server does not answer, or refuses the
 * credentials.
 */
export async function connectTemporal(
  { connection: options, namespace }: Pick<TemporalSettings, 'connection' | 'namespace'>,
  { connectTimeoutMs = 5_000 }: ConnectOptions = {},
): Promise<TemporalConnection> {
  const connection = Connection.lazy({ ...options, channelArgs, connectTimeout: connectTimeoutMs });
  letClose(connection);
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
