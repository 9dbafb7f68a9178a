import { Client, type WorkflowClientInterceptor } from '@temporalio/client';
import { PaymentSessions, type PaymentSessionHandle } from '../../src';
import { leftOpen } from './requests';
import type { World } from './worlds/world';

/** Opens a session. Returns a handle whose calls to Temporal pass through the interceptor. */
export async function openThrough(
  world: World,
  interceptor: WorkflowClientInterceptor,
): Promise<PaymentSessionHandle> {
  const { session } = await world.sessions.open(world.input(leftOpen()));
  const { connection, options } = world.client;
  const client = new Client({
    connection,
    namespace: options.namespace,
    interceptors: { workflow: [interceptor] },
  });
  return new PaymentSessions(client, { taskQueue: world.taskQueue }).get(session.key);
}
