import { patched, proxyActivities } from '@temporalio/workflow';

const { authenticate, create, follow } = proxyActivities<{
  authenticate(): Promise<void>;
  create(): Promise<string>;
  follow(id: string): Promise<string>;
}>({ startToCloseTimeout: '10s' });

/** The workflow of `changed.ts` with `patched()`: only sessions that reach this place with the new code run the new command. */
export async function smallSession(): Promise<string> {
  if (patched('authenticate-before-create')) await authenticate();
  return follow(await create());
}
