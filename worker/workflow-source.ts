import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Where `npm run build` puts the workflow bundle. */
export const PREBUILT_BUNDLE = join(__dirname, 'workflow-bundle.js');

/** The workflow code, and the interceptors that are part of it. */
export const workflowCode = () => ({
  workflowsPath: require.resolve('../workflows/worker-entry'),
  workflowInterceptorModules: [require.resolve('../workflows/tracing')],
});

export type WorkflowSource =
  | { workflowBundle: { codePath: string } }
  | { workflowsPath: string; interceptors: { workflowModules: string[] } };

/** The bundle at `codePath`, the prebuilt one, or else the workflow code itself, which the worker bundles as it starts. */
export function workflowSource(codePath?: string): WorkflowSource {
  if (codePath !== undefined) return { workflowBundle: { codePath } };
  if (existsSync(PREBUILT_BUNDLE)) return { workflowBundle: { codePath: PREBUILT_BUNDLE } };
  const { workflowsPath, workflowInterceptorModules: workflowModules } = workflowCode();
  return { workflowsPath, interceptors: { workflowModules } };
}
