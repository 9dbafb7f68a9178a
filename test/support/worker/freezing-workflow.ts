import { CancellationScope, patched, sleep } from '@temporalio/workflow';

/** Makes the process of a freezing worker suspend itself in the middle of a task, within promises that Node tracks. */
export async function freezing(): Promise<string> {
  await CancellationScope.cancellable(async () => {
    await sleep(1);
    patched('freeze');
  });
  return 'thawed';
}
