import { writeFile } from 'node:fs/promises';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { BUNDLE_OF, PREBUILT_BUNDLE } from './workflow-source';

/** Writes the production workflow bundle beside the compiled worker: a worker boots from it without webpack. */
async function buildBundle(): Promise<void> {
  const { code } = await bundleWorkflowCode({ ...BUNDLE_OF, logger: new DefaultLogger('WARN') });
  await writeFile(PREBUILT_BUNDLE, code);
}

buildBundle().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
