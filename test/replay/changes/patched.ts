import { patched, proxyActivities } from '@temporalio/workflow';

const { authenticate, create, follow } = proxyActivities<{
  authenticate(): Promise<void>;
  create(): Promise<string>;
  follow(id: string): Promise<string>;
}>({ startToCloseTimeout: '10s' });

/** The change of `changed.ts` behind a patch: only a session that first reaches it with this code makes the new command. */
export async function smallSession(): Promise<string> {
  if (patched('authenticate-before-create')) await authenticate();
  return follow(await create());
}
