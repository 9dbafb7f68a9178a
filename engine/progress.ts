/** Takes one line of progress, without its line end. */
export type OnProgress = (line: string) => void;

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
