import { Runtime } from '@temporalio/worker';
import { until } from './wait';

/** Returns Temporal's native runtime of this process, which keeps the process alive. The SDK's types hide it. */
export const nativeRuntime = (): object | undefined =>
  (Runtime as unknown as { readonly _instance?: object })._instance;

/** Resolves once the native runtime has ended, with its last connection and worker. */
export const untilNativeRuntimeEnds = (): Promise<boolean> =>
  until(() => Promise.resolve(nativeRuntime() === undefined), Boolean);
