/** Takes one line of progress, without its line end. */
export type OnProgress = (line: string) => void;

/** What a person watches moves every few seconds; a log of continuous integration keeps every line. */
export const usualIntervalMs = ({ isTTY }: { readonly isTTY?: boolean } = process.stderr): number =>
  isTTY === true ? 3_000 : 15_000;

/** Reports what `line` says now and then until it is stopped. It never keeps the process alive. */
export function reportEvery(intervalMs: number, onProgress: OnProgress, line: () => string): () => void {
  const timer = setInterval(() => {
    onProgress(line());
  }, intervalMs);
  timer.unref();
  return () => {
    clearInterval(timer);
  };
}
