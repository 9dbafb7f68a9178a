import type { WorkerOptions } from '@temporalio/worker';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The path at which `npm run build` puts the workflow bundle. */
export const PREBUILT_BUNDLE = join(__dirname, 'workflow-bundle.js');

/** Returns the paths of the bundle's sources, as options for Temporal's `bundleWorkflowCode`. */
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
    // All workflow runs share one copy of these modules and their imports. `sdk-internals` is first, because it must be loaded
    // before the first promise is created.
    preloadModules: [
      require.resolve('./sdk-internals'),
      workflowsPath,
      ...workflowInterceptorModules,
      failureConverterPath,
    ],
  };
};

/**
 * The declaration of the flag that `workflow-failures.ts` reads in the bundle. It is added to the bundle's first line and not to a line
 * of its own, so that the line numbers of the source map stay correct.
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
  /** The path of a bundle. @default the prebuilt bundle, or the sources if there is no prebuilt bundle */
  readonly codePath?: string | undefined;
  /** True if the worker encrypts. The messages of failed workflows are then encrypted, too. @default false */
  readonly encrypts?: boolean;
}

/**
 * Returns the workflow code that a worker runs. That is the bundle at `codePath`, or the prebuilt bundle. If both are absent,
 * it is the sources, and the worker bundles them when it starts.
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

/** A version of the worker, for Temporal's worker versioning. */
export interface WorkerDeployment {
  /** The name of the Temporal worker deployment. */
  readonly name: string;
  /** The name of this version, which Temporal calls the build id. */
  readonly buildId: string;
}

/**
 * Returns Temporal's worker options for a version. Open sessions move to the current version's code at their next workflow task.
 * Otherwise the workers of an old version would have to run until its last session has ended, and a session may wait weeks for a
 * signature.
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
