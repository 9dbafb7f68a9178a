/** How far a command has come. */
export interface Progress {
  readonly done: number;
  /** `undefined` while it is not known, as for lines from a pipe. */
  readonly total: number | undefined;
  readonly failed?: number;
}

/** `120 of 500 (24%), 2 failed` */
export function progressText({ done, total, failed = 0 }: Progress): string {
  const failures = failed === 0 ? '' : `, ${failed} failed`;
  if (total === undefined) return `${done} done${failures}`;
  return `${done} of ${total} (${Math.floor((100 * done) / Math.max(total, 1))}%)${failures}`;
}
