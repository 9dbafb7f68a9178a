import { isRecord } from '../../contract/values/json';

/** The status codes of gRPC by which the Temporal server's answers are distinguished. */
export const GRPC = {
  CANCELLED: 1,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  UNIMPLEMENTED: 12,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;

/** An error answer to a call, from the Temporal server or from gRPC in its place. */
export interface GrpcAnswer extends Error {
  /** Any of gRPC's status codes, not only one of those above. */
  readonly code: number;
  /** The server's own words. For a call that starts and updates a workflow at once, the `message` says more. */
  readonly details: string;
}

/** Returns the gRPC answer that an error of the Temporal client is or wraps; `undefined` if there is none. */
export function grpcAnswerOf(error: unknown): GrpcAnswer | undefined {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    if (isGrpcAnswer(inner)) return inner;
  }
  return undefined;
}

/** True if the Temporal server answered with this status code, and its details contain the words. */
export function isAnswer(error: unknown, code: number, words = ''): boolean {
  const answer = grpcAnswerOf(error);
  return answer?.code === code && answer.details.includes(words);
}

function isGrpcAnswer(error: Error): error is GrpcAnswer {
  const { code, details, metadata } = error as Partial<Record<'code' | 'details' | 'metadata', unknown>>;
  return typeof code === 'number' && typeof details === 'string' && isRecord(metadata);
}

/** A connection of a Temporal client. A worker's connection has no interceptors. */
interface Intercepted {
  readonly options?: { readonly interceptors?: unknown };
}

/** The part of a call's listener that receives the call's end. */
interface Listener {
  readonly onReceiveMessage?: (message: null) => void;
  readonly onReceiveStatus?: (status: object) => void;
}

/**
 * Lets a connection be closed while a call waits for its retry: the call then ends as cancelled. Otherwise, the SDK’s retry would throw
 * in a timer, which ends the process.
 */
export function letClose(connection: object): void {
  const interceptors = (connection as Intercepted).options?.interceptors;
  if (Array.isArray(interceptors) && !interceptors.includes(endOnceClosed)) interceptors.push(endOnceClosed);
}

/** An interceptor that ends a call as cancelled if the call throws at once, as on a closed connection. */
function endOnceClosed(call: object, nextCall: (call: object) => object): object {
  try {
    return nextCall(call);
  } catch (error) {
    return endedCall(String(error));
  }
}

const endedCall = (details: string) => ({
  start: (metadata: object, listener?: Listener) => {
    listener?.onReceiveMessage?.(null);
    listener?.onReceiveStatus?.({ code: GRPC.CANCELLED, details, metadata });
  },
  sendMessage: () => undefined,
  halfClose: () => undefined,
});
