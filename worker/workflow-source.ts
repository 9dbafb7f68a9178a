import type { WorkerOptions } from '@temporalio/worker';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The path at which `npm run build` puts the workflow bundle. */
export const PREBUILT_BUNDLE = join(__dirname, 'workflow-bundle.js');

/** Returns the sources of the bundle, in the form that Temporal's `bundleWorkflowCode` takes. */
export const workflowCode = () => {
  const workflowsPath = require.resolve('../workflows/worker-entry');
  const workflowInterceptorModules = [
    require.resolve('../workflows/tracing'),
    require.resolve('../workflows/query-ahead-of-tasks'),
    require.resolve('../workflows/per-run'),
  ];
  const failureConverterPath = require.resolve('./workflow-failures');
  return {
    workflowsPath,
    workflowInterceptorModules,
    failureConverterPath,
    // All runs share these modules, and their imports. The first module must be loaded before any promise is created.
    preloadModules: [
      require.resolve('./sdk-internals'),
      workflowsPath,
      ...workflowInterceptorModules,
      failureConverterPath,
    ],
  };
};

/**
 * The flag that `workflow-failures.ts` reads in the bundle. It is on the bundle's first line, so that the source map
 * still fits.
 */
const ENCRYPTS = 'const PAYSESSION_ENCRYPTS = true;';

export type WorkflowSource =
  | { workflowBundle: { codePath: string } | { code: string } }
  | {
      workflowsPath: string;
      interceptors: { workflowModules: string[] };
      bundlerOptions: { preloadModules: string[] };
    };

/** Options of `workflowSource`. */
export interface WorkflowSourceOptions {
  /** The path of a bundle. @default the prebuilt bundle, or the sources if it does not exist */
  readonly codePath?: string | undefined;
  /** True if the worker encrypts. The messages of workflows' failures are then encrypted too. @default false */
  readonly encrypts?: boolean;
}

/**
 * Returns the workflow code that a worker runs: the bundle at `codePath`, the prebuilt bundle, or else the sources, which
 * the worker bundles as it starts.
 */
export function workflowSource({ codePath, encrypts = false }: WorkflowSourceOptions = {}): WorkflowSource {
  const path = codePath ?? (existsSync(PREBUILT_BUNDLE) ? PREBUILT_BUNDLE : undefined);
  if (path === undefined) {
    const { workflowsPath, workflowInterceptorModules: workflowModules, preloadModules } = workflowCode();
    return { workflowsPath, interceptors: { workflowModules }, bundlerOptions: { preloadModules } };
  }
  if (!encrypts) return { workflowBundle: { codePath: path } };
  return { workflowBundle: { code: `${ENCRYPTS}${readFileSync(path, 'utf8')}` } };
}

/** A version of the workers, as Temporal's worker deployments name it. */
export interface WorkerDeployment {
  /** The deployment's name. */
  readonly name: string;
  /** The name of this version of the worker. */
  readonly buildId: string;
}

/**
 * Returns the worker options of a version. Open sessions move to the current version's code at their next workflow
 * task: a session may wait weeks for a signature, and pinned to its version it would need that version's workers all
 * the time.
 */
export function versioned({ name: deploymentName, buildId }: WorkerDeployment): Partial<WorkerOptions> {
  return {
    workerDeploymentOptions: {
      useWorkerVersioning: true,
      version: { deploymentName, buildId },
      defaultVersioningBehavior: 'AUTO_UPGRADE',
    },
  };
}
