import { isRecord } from '../../contract/values/json';

/** The gRPC status codes that this package distinguishes in the Temporal server's answers. */
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

/** An error answer to a call, from the Temporal server or from gRPC itself. */
export interface GrpcAnswer extends Error {
  /** Any gRPC status code, also one that is not in {@link GRPC}. */
  readonly code: number;
  /** The server's own words. If the call starts and updates a workflow at once, `message` has more details. */
  readonly details: string;
}

/** Returns the gRPC answer in an error of the Temporal client: the error itself, or one of its causes. `undefined` if there is none. */
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

/** The methods of a call's listener that receive the end of the call. */
interface Listener {
  readonly onReceiveMessage?: (message: null) => void;
  readonly onReceiveStatus?: (status: object) => void;
}

/**
 * Makes it safe to close a connection while a call waits for its retry. The call then ends as cancelled. Without this, the SDK’s retry
 * throws in a timer, and the exception ends the process.
 */
export function letClose(connection: object): void {
  const interceptors = (connection as Intercepted).options?.interceptors;
  if (Array.isArray(interceptors) && !interceptors.includes(endOnceClosed)) interceptors.push(endOnceClosed);
}

/** An interceptor. A call on a closed connection throws at once, and the interceptor then ends the call as cancelled. */
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
