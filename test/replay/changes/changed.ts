import { proxyActivities } from '@temporalio/workflow';

const { authenticate, create, follow } = proxyActivities<{
  authenticate(): Promise<void>;
  create(): Promise<string>;
  follow(id: string): Promise<string>;
}>({ startToCloseTimeout: '10s' });

/** The session of `released.ts` with one more command, which the histories of the released code lack. */
export async function smallSession(): Promise<string> {
  await authenticate();
  return follow(await create());
}
