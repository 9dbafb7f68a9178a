import type { WorkerOptions } from '@temporalio/worker';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where `npm run build` puts the workflow bundle. */
export const PREBUILT_BUNDLE = join(__dirname, 'workflow-bundle.js');

/** What the bundle is made of, as Temporal's `bundleWorkflowCode` takes it. */
export const workflowCode = () => ({
  workflowsPath: require.resolve('../workflows/worker-entry'),
  workflowInterceptorModules: [
    require.resolve('../workflows/tracing'),
    require.resolve('../workflows/query-ahead-of-tasks'),
    require.resolve('../workflows/run'),
  ],
  failureConverterPath: require.resolve('./workflow-failures'),
});

/**
 * How long a workflow may compute at a stretch: the SDK's own five seconds end a task whose process was frozen for longer, and
 * with it, as Node cannot end code among its promises, the process. An option of the SDK that its types do not name.
 */
export const WORKFLOW_TIME = { isolateExecutionTimeout: '1h' } as const;

/** Read by `workflow-failures.ts` in the bundle. On the bundle's first line, so that its source map still fits. */
const ENCRYPTS = 'const PAYSESSION_ENCRYPTS = true;';

export type WorkflowSource =
  | { workflowBundle: { codePath: string } | { code: string } }
  | { workflowsPath: string; interceptors: { workflowModules: string[] } };

/** Which workflow code a worker runs. */
export interface WorkflowSourceOptions {
  /** @default the prebuilt bundle */
  readonly codePath?: string;
  /** Whether the worker encrypts: then the messages of workflows' failures are encrypted, too. @default false */
  readonly encrypts?: boolean;
}

/** The bundle at `codePath`, the prebuilt one, or else the workflow code itself, which the worker bundles as it starts. */
export function workflowSource({ codePath, encrypts = false }: WorkflowSourceOptions = {}): WorkflowSource {
  const path = codePath ?? (existsSync(PREBUILT_BUNDLE) ? PREBUILT_BUNDLE : undefined);
  if (path === undefined) {
    const { workflowsPath, workflowInterceptorModules: workflowModules } = workflowCode();
    return { workflowsPath, interceptors: { workflowModules } };
  }
  if (!encrypts) return { workflowBundle: { codePath: path } };
  return { workflowBundle: { code: `${ENCRYPTS}${readFileSync(path, 'utf8')}` } };
}

/** A version of the workers, as Temporal's worker deployments name it. */
export interface WorkerDeployment {
  /** The deployment's name. */
  readonly name: string;
  /** Names this version of the worker. */
  readonly buildId: string;
}

/**
 * Open sessions move to the current version's code at their next workflow task: a session may wait weeks for a signature, and pinned
 * to its version it would need that version's workers all the time.
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
