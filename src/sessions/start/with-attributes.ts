import { GRPC, grpcAnswerOf } from '../../protocol/temporal/grpc';
import type { SessionAttribute } from '../../protocol/temporal/search-attributes';

interface Indexed {
  readonly typedSearchAttributes: SessionAttribute[];
}

/**
 * Starts a session with the search attributes that are known already. A namespace lacks them until a worker has registered
 * them, and for a minute more: then the session is started without, and adds them itself.
 */
export async function withAttributes<T, Options extends Indexed>(
  options: Options,
  start: (options: Options) => Promise<T>,
): Promise<T> {
  try {
    return await start(options);
  } catch (error) {
    if (!lacksAttributes(error)) throw error;
    return await start({ ...options, typedSearchAttributes: [] });
  }
}

function lacksAttributes(error: unknown): boolean {
  const answer = grpcAnswerOf(error);
  return answer?.code === GRPC.INVALID_ARGUMENT && /search attribute/i.test(answer.message);
}
