import { Runtime } from '@temporalio/worker';
import { until } from './wait';

/** Returns Temporal’s native runtime of this process, if there is one. It keeps the process alive. The SDK’s types hide this object. */
export const nativeRuntime = (): object | undefined =>
  (Runtime as unknown as { readonly _instance?: object })._instance;

/** Resolves once the native runtime has shut down. It shuts down when its last connection or worker closes. */
export const untilNativeRuntimeEnds = (): Promise<boolean> =>
  until(() => Promise.resolve(nativeRuntime() === undefined), Boolean);
