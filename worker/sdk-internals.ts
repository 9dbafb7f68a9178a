/**
 * Changes protected and internal parts of Temporal's SDK, to save CPU time. The source text of these parts is the same in
 * `@temporalio/worker` 1.23.0 and 1.24.0. If the installed SDK has another text, `test/unit/worker/sdk-internals.test.ts` fails. If an
 * SDK lacks these parts or has changed them, this file has no effect.
 *
 * The worker loads this file. The workflow bundle also loads it, before its own code.
 */
import type { Worker } from '@temporalio/worker';
import { maybeGetActivator } from '@temporalio/workflow/lib/global-attributes';
import type { Stack } from '@temporalio/workflow/lib/internals';

const LONGEST_STEP_MS = 3_600_000;

/**
 * The option that sets how long a workflow may compute without a pause. It counts only for an SDK in which `withoutWatchdog` has no
 * effect. The SDK's default is five seconds: if a process is frozen for longer, its workflow task fails, and the process may even end.
 * The SDK's types lack this option.
 */
export const WORKFLOW_TIME = { isolateExecutionTimeout: LONGEST_STEP_MS } as const;

/**
 * Returns a `Worker` class that turns the limit of `WORKFLOW_TIME` off. This saves time: for each call into workflow code that has a
 * time limit, Node starts a thread and waits for its end.
 */
export function withoutWatchdog(base: typeof Worker): typeof Worker {
  return class extends base {
    protected static override createWorkflowCreator(
      ...[bundle, options, logger]: Parameters<typeof base.createWorkflowCreator>
    ) {
      const isOurs = options.isolateExecutionTimeoutMs === LONGEST_STEP_MS;
      // The SDK passes the time limit on to Node's `vm`, where `undefined` means no limit.
      const unlimited = Object.assign({ ...options }, { isolateExecutionTimeoutMs: undefined });
      return super.createWorkflowCreator(bundle, isOurs ? unlimited : options, logger);
    }
  };
}

/** The function with which the SDK formats an error's stack frames. The SDK sets it on the `Error` outside its workflow sandbox. */
type PrepareStackTrace = (error: object, frames: readonly never[]) => string;

/**
 * Makes the SDK format the stack of a promise only when a query (`__stack_trace`) asks for it. Without this change, the SDK's promise
 * hook formats the stack of each new promise at once.
 *
 * The hook compiles two functions from text for that, with the compiler in `Promise.constructor`. This function replaces
 * `Promise.constructor`: for these two texts, the new compiler returns ready-made functions. One of them returns `ErrorOfHook`
 * instead of `Error`. `ErrorOfHook` captures the promise's frames for `LazyStacks`, and returns a stack without frames to the hook.
 *
 * The hook recognizes the promises of `Promise.all`, `allSettled`, `any` and `race` by their stacks. So if a run uses one of these
 * functions, all its later stacks are formatted at once.
 */
function formatStacksOnRequest(prepareStackTrace: PrepareStackTrace): void {
  let captured: Error | undefined;
  let requested: Error | undefined;
  const combining = new WeakSet<object>();

  /** The hook calls this function with `new`, as if it were `Error`. */
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
  /** Captures the frames below this function, beginning with the hook. */
  const captureHere = () =>
    Reflect.construct<[], Error>(Error, [], ErrorOfHook as unknown as ErrorConstructor);

  /** The stack of a promise, formatted when it is first read. */
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

  /** Makes the hook format captured frames. For that, creates a promise for which the hook receives these frames. */
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

/** True if the stack has exactly the two parts that the hook of the known SDK versions stores. */
const isFromHook = (stack: unknown): boolean => Object.keys(stack ?? {}).join() === 'formatted,structured';

/**
 * Returns the `Error` outside the SDK's workflow sandbox. The sandbox's `assert` is Node's own, so its `AssertionError` extends the outer
 * `Error`. Returns `undefined` if there is no such `assert`.
 */
function outerError(): { readonly prepareStackTrace?: PrepareStackTrace } | undefined {
  const { assert } = globalThis as { readonly assert?: { readonly AssertionError?: object } };
  const { AssertionError } = assert ?? {};
  return AssertionError && (Object.getPrototypeOf(AssertionError) as object);
}

/** True in the SDK's sandbox before it starts a run. Only then can this file change `Promise`: later, `Promise` is frozen. */
const isPreloaded = '__TEMPORAL__' in globalThis && maybeGetActivator() === undefined;

if (isPreloaded) {
  const error = outerError();
  if (error?.prepareStackTrace !== undefined)
    formatStacksOnRequest((...call) => error.prepareStackTrace?.(...call) ?? '');
}
