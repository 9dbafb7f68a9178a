/** Takes one line of progress, without its line end. */
export type OnProgress = (line: string) => void;

/** Writes progress to standard error, but for the line that says which program is used: what takes no time needs no word. */
export const reportWaits: OnProgress = (line) => {
  if (!line.startsWith('Using ')) process.stderr.write(`${line}\n`);
};

/** Where a long step reports, and how often. */
export interface Reports {
  readonly onProgress: OnProgress;
  readonly progressIntervalMs: number;
}

/**
 * Returns the interval of progress lines. On a screen, progress moves every few seconds; a log of continuous integration keeps every line.
 */
export const usualIntervalMs = ({ isTTY }: { readonly isTTY?: boolean } = process.stderr): number =>
  isTTY === true ? 3_000 : 15_000;

/** Does a work and reports a line now and then while it lasts. The reports never keep the process alive. */
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
