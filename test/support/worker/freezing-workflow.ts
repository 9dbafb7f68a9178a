import { CancellationScope, patched, sleep } from '@temporalio/workflow';

/** Makes the freezing worker’s process suspend itself in the middle of a workflow task, inside promises that Node tracks. */
export async function freezing(): Promise<string> {
  await CancellationScope.cancellable(async () => {
    await sleep(1);
    patched('freeze');
  });
  return 'thawed';
}
