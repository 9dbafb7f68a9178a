import { proxyActivities } from '@temporalio/workflow';

const { create, follow } = proxyActivities<{
  create(): Promise<string>;
  follow(id: string): Promise<string>;
}>({
  startToCloseTimeout: '10s',
});

/** A small model of the session workflow, as it was released. */
export async function smallSession(): Promise<string> {
  return follow(await create());
}
