import { Runtime } from '@temporalio/worker';
import { until } from './wait';

/** Returns this process's native runtime of Temporal, if there is one. It keeps the process alive. The SDK's types hide it. */
export const nativeRuntime = (): object | undefined =>
  (Runtime as unknown as { readonly _instance?: object })._instance;

/** Resolves once the native runtime has ended. It ends with its last connection or worker. */
export const untilNativeRuntimeEnds = (): Promise<boolean> =>
  until(() => Promise.resolve(nativeRuntime() === undefined), Boolean);
