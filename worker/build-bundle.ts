import { realpathSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger, type BundleOptions } from '@temporalio/worker';
import { PREBUILT_BUNDLE, workflowCode } from './workflow-source';

/** Writes the production workflow bundle next to the compiled worker, so that a worker starts without webpack. */
async function buildBundle(): Promise<void> {
  const { code } = await bundleWorkflowCode({
    ...workflowCode(),
    logger: new DefaultLogger('WARN'),
    webpackConfigHook: withLinesOnly,
  });
  await writeFile(PREBUILT_BUNDLE, withoutMachinePaths(code));
}

type Configuration = Parameters<NonNullable<BundleOptions['webpackConfigHook']>>[0];

/**
 * Configures a source map without columns, and a plain name for the bundle. Webpack's defaults depend on the length of
 * the machine's paths.
 */
function withLinesOnly(config: Configuration): Configuration {
  const devtool = 'inline-cheap-module-source-map';
  return { ...config, devtool, output: { ...config.output, filename: 'workflow-bundle.js' } };
}

/** The root of the package: this file is compiled to `dist/worker`. */
const ROOT = join(__dirname, '..', '..');

/**
 * Returns the bundle with source map paths that start at the package, not at the root of the machine that builds it.
 * This keeps the machine's paths private, and the same sources produce the same bytes anywhere.
 */
function withoutMachinePaths(code: string): string {
  return code.replace(/(?<=\/\/# sourceMappingURL=data:[^,]*;base64,)\S+/, (encoded) => {
    const map = Buffer.from(encoded, 'base64').toString('utf8');
    const modules = realpathSync(join(ROOT, 'node_modules'));
    const paths = map.replaceAll(modules, 'paysession/node_modules').replaceAll(ROOT, 'paysession');
    return Buffer.from(paths).toString('base64');
  });
}

void buildBundle();
