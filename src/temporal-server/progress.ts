/** Called with each line of progress, without the line end. */
export type OnProgress = (line: string) => void;

/**
 * Writes progress to standard error, except for the line that says which program is used. So if nothing takes long, nothing is written.
 */
export const reportWaits: OnProgress = (line) => {
  if (!line.startsWith('Using ')) process.stderr.write(`${line}\n`);
};

/** The receiver of progress lines, and the interval between two lines of a long step, in milliseconds. */
export interface Reports {
  readonly onProgress: OnProgress;
  readonly progressIntervalMs: number;
}

/**
 * Returns the interval between progress lines, in milliseconds. It is short in a terminal, and longer elsewhere: a log, for instance,
 * keeps every line.
 */
export const usualIntervalMs = ({ isTTY }: { readonly isTTY?: boolean } = process.stderr): number =>
  isTTY === true ? 3_000 : 15_000;

/** Runs `work`. Until it ends, reports a line at each interval. The timer does not keep the process alive. */
export async function whileReporting<T>(
  { onProgress, progressIntervalMs }: Reports,
  line: (seconds: number) => string,
  work: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  const timer = setInterval(() => {
    onProgress(line(Math.round((performance.now() - startedAt) / 1_000)));
  }, progressIntervalMs);
  timer.unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
