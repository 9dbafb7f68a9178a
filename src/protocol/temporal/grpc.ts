import { isRecord } from '../../contract/values/json';

/** gRPC's status codes that distinguish the Temporal server's answers. */
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

/** An error that the Temporal server, or gRPC in its place, answered with. */
export interface GrpcAnswer extends Error {
  /** One of gRPC's status codes, not only of those above. */
  readonly code: number;
  /** The server's own words. For a call that joins two, the `message` says more. */
  readonly details: string;
}

/** Returns the Temporal server's own answer in an error, which its client may wrap; `undefined` if the error holds no answer. */
export function grpcAnswerOf(error: unknown): GrpcAnswer | undefined {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    if (isGrpcAnswer(inner)) return inner;
  }
  return undefined;
}

/** True if the Temporal server answered with this status code, and its details hold the words. */
export function isAnswer(error: unknown, code: number, words = ''): boolean {
  const answer = grpcAnswerOf(error);
  return answer?.code === code && answer.details.includes(words);
}

function isGrpcAnswer(error: Error): error is GrpcAnswer {
  const { code, details, metadata } = error as Partial<Record<'code' | 'details' | 'metadata', unknown>>;
  return typeof code === 'number' && typeof details === 'string' && isRecord(metadata);
}
