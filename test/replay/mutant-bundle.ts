import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger, type BundleOptions } from '@temporalio/worker';
import { workflowCode } from '../../worker/workflow-source';

/** A mutation of the workflow code: a module of `mutants/` replaces a module of `workflows/`. Recorded histories then diverge. */
export interface Mutation {
  readonly mutant: string;
  readonly of: string;
}

export interface MutantBundle {
  readonly bundlePath: string;
  remove(): Promise<void>;
}

const WORKFLOWS = join(__dirname, '..', '..', 'workflows');

/** Bundles the workflow with one module replaced. Throws if no module of the workflow imports the replaced one. */
export async function bundleMutant({ mutant, of }: Mutation): Promise<MutantBundle> {
  const replacing = { original: join(WORKFLOWS, of), mutant: join(__dirname, 'mutants', mutant), count: 0 };
  const bundle = await bundleWorkflowCode({
    ...workflowCode(),
    webpackConfigHook: (config) => ({ ...config, plugins: [...(config.plugins ?? []), replacer(replacing)] }),
    logger: new DefaultLogger('ERROR'),
  });
  if (replacing.count === 0)
    throw new Error(`the workflow does not import ${of}: there is nothing to replace`);
  const folder = await mkdtemp(join(tmpdir(), 'paysession-mutant-'));
  const bundlePath = join(folder, 'bundle.js');
  await writeFile(bundlePath, bundle.code);
  return { bundlePath, remove: () => rm(folder, { recursive: true }) };
}

interface Replacing {
  readonly original: string;
  readonly mutant: string;
  /** The number of replaced imports. */
  count: number;
}

type WebpackConfig = Parameters<NonNullable<BundleOptions['webpackConfigHook']>>[0];
type WebpackPlugin = NonNullable<WebpackConfig['plugins']>[number];

/** Makes all modules import the mutant in place of the original. Only the mutant itself imports the original. */
function replacer(replacing: Replacing): WebpackPlugin {
  const { original, mutant } = replacing;
  return {
    apply: ({ hooks }) => {
      hooks.normalModuleFactory.tap('replacer', (factory) => {
        factory.hooks.beforeResolve.tap('replacer', (asked) => {
          const isOriginal = join(asked.context, asked.request) === original;
          if (!isOriginal || asked.contextInfo.issuer === `${mutant}.ts`) return;
          asked.request = mutant;
          replacing.count += 1;
        });
      });
    },
  };
}
