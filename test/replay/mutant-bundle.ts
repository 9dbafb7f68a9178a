import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

/** A change planted in a workflow's file: this text becomes that text. */
export interface Mutation {
  readonly file: string;
  readonly changes: readonly (readonly [from: string, to: string])[];
}

export interface MutantBundle {
  readonly bundlePath: string;
  remove(): Promise<void>;
}

const ROOT = join(__dirname, '..', '..');

/** Bundles a copy of the workflows with a change planted in it; throws where the text to change is not there. */
export async function bundleMutant({ file, changes }: Mutation): Promise<MutantBundle> {
  const folder = await mkdtemp(join(tmpdir(), 'paysession-mutant-'));
  for (const part of ['workflows', 'src/contract', 'src/errors', 'src/protocol'])
    await cp(join(ROOT, part), join(folder, part), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const path = join(folder, file);
  let code = await readFile(path, 'utf8');
  for (const [from, to] of changes) {
    if (code.split(from).length !== 2) throw new Error(`${file} does not hold once: ${from}`);
    code = code.replace(from, to);
  }
  await writeFile(path, code);
  const bundle = await bundleWorkflowCode({
    workflowsPath: join(folder, 'workflows', 'payment-session.ts'),
    logger: new DefaultLogger('ERROR'),
  });
  const bundlePath = join(folder, 'bundle.js');
  await writeFile(bundlePath, bundle.code);
  return { bundlePath, remove: () => rm(folder, { recursive: true }) };
}
