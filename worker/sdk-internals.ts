/**
 * Changes protected and internal parts of Temporal's SDK, to save CPU time. The parts have the same text in
 * `@temporalio/worker` 1.23.0 and 1.24.0. `test/unit/worker/sdk-internals.test.ts` fails if the installed text differs.
 * Where these parts are missing or changed, the SDK works as it does without this file.
 *
 * The worker loads this file. The workflow bundle loads it too, before its own code.
 */
import type { Worker } from '@temporalio/worker';
import { maybeGetActivator } from '@temporalio/workflow/lib/global-attributes';
import type { Stack } from '@temporalio/workflow/lib/internals';

const LONGEST_STEP_MS = 3_600_000;

/**
 * The longest time that a workflow may compute without a pause, for an SDK in which `withoutWatchdog` has no effect. With
 * the SDK's default of five seconds, a process that was frozen for longer loses its task. Node cannot end code between
 * its promises, so the process may also end. The SDK's types lack this option.
 */
export const WORKFLOW_TIME = { isolateExecutionTimeout: LONGEST_STEP_MS } as const;

/**
 * Returns a `Worker` for which `WORKFLOW_TIME` is no limit at all. Node starts and joins a thread for each call into
 * workflow code that has a limit.
 */
export function withoutWatchdog(base: typeof Worker): typeof Worker {
  return class extends base {
    protected static override createWorkflowCreator(
      ...[bundle, options, logger]: Parameters<typeof base.createWorkflowCreator>
    ) {
      const isOurs = options.isolateExecutionTimeoutMs === LONGEST_STEP_MS;
      // The SDK passes it on to `vm`, for which it is optional.
      const unlimited = Object.assign({ ...options }, { isolateExecutionTimeoutMs: undefined });
      return super.createWorkflowCreator(bundle, isOurs ? unlimited : options, logger);
    }
  };
}

/** Formats an error's frames, and records that it has done so. The SDK sets it on the `Error` outside its sandbox. */
type PrepareStackTrace = (error: object, frames: readonly never[]) => string;

/**
 * Lets the SDK format the stacks of promises when a query asks for them (`__stack_trace`). By itself, its promise hook
 * formats each stack at once, and compiles two functions from text for that. The hook takes their compiler from
 * `Promise.constructor`, which here returns ready functions for these two texts. The second one returns `ErrorOfHook`,
 * which captures the frames of the promise for `LazyStacks` and has a stack without frames for the hook. The hook
 * recognizes the promises of `Promise.all` and its like by their stacks, so a run that uses these has all later stacks
 * formatted at once.
 */
function formatStacksOnRequest(prepareStackTrace: PrepareStackTrace): void {
  let captured: Error | undefined;
  let requested: Error | undefined;
  const combining = new WeakSet<object>();

  /** The hook calls it with `new`, and takes the result for a new `Error`. */
  function ErrorOfHook(): Pick<Error, 'stack'> {
    const run = maybeGetActivator();
    const frames = requested ?? captureHere();
    const isRequested = requested !== undefined;
    requested = undefined;
    captured = undefined;
    if (isRequested || run === undefined || combining.has(run)) return frames;
    const { promiseStackStore: store } = run;
    if (!(store.promiseToStack instanceof LazyStacks))
      store.promiseToStack = new LazyStacks(store.promiseToStack);
    captured = frames;
    // The hook ignores a promise whose stack was not formatted.
    return { stack: prepareStackTrace({}, []) };
  }
  ErrorOfHook.prototype = Error.prototype;
  /** Captures the frames from the hook on. */
  const captureHere = () =>
    Reflect.construct<[], Error>(Error, [], ErrorOfHook as unknown as ErrorConstructor);

  /** A stack that is formatted when it is first read. */
  class LazyStack implements Stack {
    formattedStack: Stack | undefined;

    constructor(readonly frames: Error) {}

    get formatted() {
      return this.format().formatted;
    }

    get structured() {
      return this.format().structured;
    }

    format(): Stack {
      return (this.formattedStack ??= formatByHook(this.frames) ?? { formatted: '', structured: [] });
    }
  }

  class LazyStacks extends Map<Promise<unknown>, Stack> {
    override set(promise: Promise<unknown>, stack: Stack): this {
      const frames = captured;
      captured = undefined;
      return super.set(promise, frames !== undefined && isFromHook(stack) ? new LazyStack(frames) : stack);
    }
  }

  /** Creates a promise that the hook takes for one created where the frames were captured. */
  function formatByHook(frames: Error): Stack | undefined {
    const store = maybeGetActivator()?.promiseStackStore;
    requested = frames;
    const promise = new Promise(() => undefined);
    const stack = store?.promiseToStack.get(promise);
    store?.promiseToStack.delete(promise);
    store?.childToParent.delete(promise);
    return stack;
  }

  for (const name of ['all', 'allSettled', 'any', 'race'] as const) {
    const value: unknown = Object.getOwnPropertyDescriptor(Promise, name)?.value;
    Object.defineProperty(Promise, name, {
      get: () => {
        const run = maybeGetActivator();
        if (run !== undefined) combining.add(run);
        return value;
      },
    });
  }
  const ready = new Map<string, () => unknown>([
    ['return globalThis.__TEMPORAL_ACTIVATOR__', maybeGetActivator],
    ['return globalThis.Error', () => ErrorOfHook],
  ]);
  const compiler = Promise.constructor as FunctionConstructor;
  Object.defineProperty(Promise, 'constructor', {
    value: (text: string) => ready.get(text) ?? compiler(text),
  });
}

/** True if the stack has exactly the parts that the hook is known to keep. */
const isFromHook = (stack: unknown): boolean => Object.keys(stack ?? {}).join() === 'formatted,structured';

/** Returns the `Error` outside the SDK's sandbox, found by the sandbox's `assert`, which is Node's own. `undefined` elsewhere. */
function outerError(): { readonly prepareStackTrace?: PrepareStackTrace } | undefined {
  const { assert } = globalThis as { readonly assert?: { readonly AssertionError?: object } };
  const { AssertionError } = assert ?? {};
  return AssertionError && (Object.getPrototypeOf(AssertionError) as object);
}

/** True in the SDK's sandbox before it begins a run. Later, `Promise` is frozen. */
const isPreloaded = '__TEMPORAL__' in globalThis && maybeGetActivator() === undefined;

if (isPreloaded) {
  const error = outerError();
  if (error?.prepareStackTrace !== undefined)
    formatStacksOnRequest((...call) => error.prepareStackTrace?.(...call) ?? '');
}
