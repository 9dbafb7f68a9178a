import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { workflowCode } from '../../../worker/workflow-source';

/** Writes the bundle of the current workflow code for all test files. The global teardown removes it. */
export async function writeBundle(): Promise<void> {
  const { code } = await bundleWorkflowCode({ ...workflowCode(), logger: new DefaultLogger('WARN') });
  const path = join(await mkdtemp(join(tmpdir(), 'paysession-test-')), 'workflow-bundle.js');
  await writeFile(path, code);
  process.env['PAYSESSION_TEST_BUNDLE'] = path;
}
