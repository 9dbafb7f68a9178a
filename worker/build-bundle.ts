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
 * Configures a source map without columns, and a fixed file name for the bundle. With webpack's defaults, both depend on how
 * long the machine's paths are.
 */
function withLinesOnly(config: Configuration): Configuration {
  const devtool = 'inline-cheap-module-source-map';
  return { ...config, devtool, output: { ...config.output, filename: 'workflow-bundle.js' } };
}

/** The root of the package. It is two folders up, because this file is compiled to `dist/worker`. */
const ROOT = join(__dirname, '..', '..');

/**
 * Returns the bundle with source map paths that are relative to the package. So the bundle does not show the paths of the
 * machine that built it, and the same sources produce the same bytes on every machine.
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
