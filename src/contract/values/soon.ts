/**
 * Resolves with the promise's value, or with `undefined` after `withinMs`. Rejects if the promise rejects within that time. The
 * work behind the promise continues after the time.
 */
export async function soon<T>(promise: Promise<T>, withinMs: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, withinMs, undefined);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
