import { access, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { testBundle } from './global-values';

/** Returns a bundle of a test’s own workflows for the SDK’s option `workflowBundle`. The first caller in a test run makes the bundle. */
export async function bundled(workflowsPath: string): Promise<{ readonly codePath: string }> {
  const codePath = join(dirname(testBundle()), `${basename(workflowsPath, '.ts')}.js`);
  if (!(await exists(codePath))) {
    const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') });
    // Writes another file and renames it, so that no other test file ever reads an incomplete bundle.
    const whole = `${codePath}.${process.pid}`;
    await writeFile(whole, code);
    await rename(whole, codePath);
  }
  return { codePath };
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
