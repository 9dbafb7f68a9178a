import { proxyActivities } from '@temporalio/workflow';

const { authenticate, create, follow } = proxyActivities<{
  authenticate(): Promise<void>;
  create(): Promise<string>;
  follow(id: string): Promise<string>;
}>({ startToCloseTimeout: '10s' });

/** The workflow of `released.ts` with one more command. Histories of `released.ts` do not have that command, so they diverge. */
export async function smallSession(): Promise<string> {
  await authenticate();
  return follow(await create());
}
