/** Takes one line of progress, without its line end. */
export type OnProgress = (line: string) => void;

/** Writes progress to standard error, except for the line that says which program is used: a search without a wait needs no report. */
export const reportWaits: OnProgress = (line) => {
  if (!line.startsWith('Using ')) process.stderr.write(`${line}\n`);
};

/** Receiver and interval of a long step's reports. */
export interface Reports {
  readonly onProgress: OnProgress;
  readonly progressIntervalMs: number;
}

/**
 * Returns the interval of progress lines, in milliseconds. It is shorter in a terminal than elsewhere, such as in a log, which keeps every
 * line.
 */
export const usualIntervalMs = ({ isTTY }: { readonly isTTY?: boolean } = process.stderr): number =>
  isTTY === true ? 3_000 : 15_000;

/** Runs `work` and reports a line at intervals while it lasts. The reports never keep the process alive. */
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
