import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { transform } from '@swc/core';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import type * as Source from '../../../src';
import type * as WorkflowSource from '../../../worker/workflow-source';

const ROOT = join(__dirname, '..', '..', '..');
const FOLDERS = ['src', 'workflows', 'activities', 'ledger', 'worker', 'chaos/faults/processes'];
/** The ledger's SQL files. The ledger reads them at run time, so they are copied. */
const STATEMENTS = join('ledger', 'migrations');

let builds = 0;

/** A text in a source file, and its replacement. */
export interface Patch {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** The workers' code, built from the current sources, perhaps with a planted bug. */
export interface Build {
  /** The script of a worker's process. */
  readonly workerScript: string;
  readonly bundlePath: string;
  /** The package as callers import it. */
  readonly source: typeof Source;
  remove(): Promise<void>;
}

/**
 * Builds the workers' code into a separate folder, below `node_modules` so that packages are found. Throws if the text of a patch is not in
 * its file exactly once. Without this check, a planted bug whose text has changed would seem to be a bug that no invariant detects.
 */
export async function build(name: string, patches: readonly Patch[] = []): Promise<Build> {
  builds += 1;
  const folder = join(
    ROOT,
    'node_modules',
    '.cache',
    'paysession-faults',
    `${name}-${process.pid}-${builds}`,
  );
  const files = (await Promise.all(FOLDERS.map((each) => sourcesIn(join(ROOT, each))))).flat();
  const left = new Set(patches);
  await Promise.all(
    files.map(async (file) => {
      const own = patches.filter((patch) => patch.file === relative(ROOT, file));
      for (const patch of own) left.delete(patch);
      await compile(file, join(folder, relative(ROOT, file).replace(/ts$/, 'js')), own);
    }),
  );
  for (const { file } of left) throw new Error(`${name}: there is no ${file}`);
  await cp(join(ROOT, STATEMENTS), join(folder, STATEMENTS), { recursive: true });
  const bundlePath = join(folder, 'worker', 'workflow-bundle.js');
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- it was built a moment ago
  const { workflowCode } = require(join(folder, 'worker', 'workflow-source.js')) as typeof WorkflowSource;
  const { code } = await bundleWorkflowCode({ ...workflowCode(), logger: new DefaultLogger('ERROR') });
  await writeFile(bundlePath, code);
  return {
    workerScript: join(folder, 'chaos', 'faults', 'processes', 'worker-process.js'),
    bundlePath,
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- as above
    source: require(join(folder, 'src', 'index.js')) as typeof Source,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function sourcesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(folder, name));
}

async function compile(file: string, target: string, patches: readonly Patch[]): Promise<void> {
  let text = await readFile(file, 'utf8');
  for (const { from, to } of patches) {
    const parts = text.split(from);
    if (parts.length !== 2) throw new Error(`${file} holds ${parts.length - 1} times: ${from}`);
    text = parts.join(to);
  }
  const { code } = await transform(text, {
    filename: file,
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    module: { type: 'commonjs' },
    configFile: false,
    swcrc: false,
  });
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, code);
}
