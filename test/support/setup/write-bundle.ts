import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { workflowCode } from '../../../worker/workflow-source';

/** Bundles the current workflow code into a file for all test files. The global teardown removes the file. */
export async function writeBundle(): Promise<void> {
  const { code } = await bundleWorkflowCode({ ...workflowCode(), logger: new DefaultLogger('WARN') });
  const path = join(await mkdtemp(join(tmpdir(), 'paysession-test-')), 'workflow-bundle.js');
  await writeFile(path, code);
  process.env['PAYSESSION_TEST_BUNDLE'] = path;
}
