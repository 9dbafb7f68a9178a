import {
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
  type ConnectionOptions,
} from '@temporalio/client';
import { GRPC } from '../protocol/grpc';

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
 * A connection, not made yet, that may be closed while a call waits to be repeated: the repetition ends, where the SDK's own would
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
