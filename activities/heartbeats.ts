import { Context } from '@temporalio/activity';

/** Does the work of an activity, which sends heartbeats meanwhile: it stays alive, and learns of a cancellation. */
export async function withHeartbeats<T>(everyMs: number, work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  const heartbeats = setInterval(() => {
    context.heartbeat();
  }, everyMs);
  try {
    return await work();
  } finally {
    clearInterval(heartbeats);
  }
}
