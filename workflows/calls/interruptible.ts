import { CancellationScope, condition, isCancellation } from '@temporalio/workflow';

/** Work that has ended, or was interrupted. */
export type Interruptible<T extends object> =
  | { readonly interrupted: false; readonly value: T }
  /** `late` is what the work still returns; `undefined` if it returns nothing. */
  | { readonly interrupted: true; readonly late: Promise<T | undefined> };

/** Waits for work until `interrupted`; then asks it to stop, and leaves what it still returns to the caller. */
export async function interruptible<T extends object>(
  interrupted: () => boolean,
  work: () => Promise<T>,
): Promise<Interruptible<T>> {
  const scope = new CancellationScope();
  const progress = { settled: false };
  const result = scope.run(work).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  void result.then(() => (progress.settled = true));
  await condition(() => progress.settled || interrupted());
  const isStopped = !progress.settled;
  if (isStopped) scope.cancel();
  const ended = result.then((outcome) => {
    if ('value' in outcome) return outcome.value;
    if (isCancellation(outcome.error)) return undefined;
    throw outcome.error;
  });
  if (isStopped) return { interrupted: true, late: ended };
  const value = await ended;
  return value === undefined ? { interrupted: true, late: ended } : { interrupted: false, value };
}

/** Waits for work until `interrupted`, then asks it to stop and waits for its end; returns `undefined` if it was stopped. */
export async function unlessInterrupted<T extends object>(
  interrupted: () => boolean,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const outcome = await interruptible(interrupted, work);
  return outcome.interrupted ? await outcome.late : outcome.value;
}
