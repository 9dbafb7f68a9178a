import { writeFile } from 'node:fs/promises';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { PREBUILT_BUNDLE, workflowCode } from './workflow-source';

/** Writes the production workflow bundle beside the compiled worker: a worker boots from it without webpack. */
async function buildBundle(): Promise<void> {
  const { code } = await bundleWorkflowCode({ ...workflowCode(), logger: new DefaultLogger('WARN') });
  await writeFile(PREBUILT_BUNDLE, code);
}

buildBundle().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
