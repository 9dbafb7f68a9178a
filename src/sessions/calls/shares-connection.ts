import { InternalConnectionLikeSymbol, type Client, type InternalConnectionLike } from '@temporalio/client';

/**
 * Whether a client uses a connection that workers of this process may share. Such a worker then gets a session's first task
 * with the answer to the start; where there is none, it changes nothing.
 */
export function sharesConnection({ connection }: Client): boolean {
  const shared: InternalConnectionLike = connection;
  return shared[InternalConnectionLikeSymbol]?.supportsEagerStart === true;
}
