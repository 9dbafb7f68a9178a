import { isGrpcServiceError } from '@temporalio/client';
import type { SessionAttribute } from '../../protocol/search-attributes';

interface Indexed {
  readonly typedSearchAttributes: SessionAttribute[];
}

/** gRPC's status code of a request that the engine finds wrong. */
const INVALID_ARGUMENT = 3;

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
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    const answer: { readonly code: number } | undefined = isGrpcServiceError(inner) ? inner : undefined;
    if (answer?.code === INVALID_ARGUMENT && /search attribute/i.test(inner.message)) return true;
  }
  return false;
}
