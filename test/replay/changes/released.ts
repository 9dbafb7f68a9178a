import { proxyActivities } from '@temporalio/workflow';

const { create, follow } = proxyActivities<{
  create(): Promise<string>;
  follow(id: string): Promise<string>;
}>({
  startToCloseTimeout: '10s',
});

/** A small copy of a payment session, in its released form. */
export async function smallSession(): Promise<string> {
  return follow(await create());
}
