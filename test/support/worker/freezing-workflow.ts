import { CancellationScope, patched, sleep } from '@temporalio/workflow';

/** The worker's process freezes in the middle of a task, among promises that Node follows. */
export async function freezing(): Promise<string> {
  await CancellationScope.cancellable(async () => {
    await sleep(1);
    patched('freeze');
  });
  return 'thawed';
}
