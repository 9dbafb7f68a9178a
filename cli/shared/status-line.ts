import { wantsJson } from './early-error';
import { cutTo, hasColors } from './terminal';

/** A status line that stays the last one of a terminal, below other output. */
export interface StatusLine {
  show(text: string): void;
  /** Removes the line. */
  close(): void;
}

const NOWHERE: StatusLine = { show: () => undefined, close: () => undefined };
/** The number of columns in addition to the text: the spinner, the space after it, and one that keeps the cursor on the line. */
const BESIDE_TEXT = 3;
const STILL = { frames: ['●'], interval: 1_000 };

/**
 * Opens a status line on standard error if that is a terminal that can overwrite a line. Otherwise, and with `--json` or `--jsonl`, shows
 * none. A `still` line has no spinner, because it stays for hours.
 */
export async function openStatusLine(text: string, { still = false } = {}): Promise<StatusLine> {
  const { stderr } = process;
  if (!stderr.isTTY || process.env['TERM'] === 'dumb' || wantsJson()) return NOWHERE;
  const { default: ora } = await import('ora');
  const cut = (line: string) => cutTo(line, stderr, BESIDE_TEXT);
  const spinner = ora({
    text: cut(text),
    ...(still && { spinner: STILL }),
    color: hasColors(stderr) ? 'cyan' : false,
    isEnabled: true,
    // A command that ends early would not restore the terminal, so leave it unchanged.
    discardStdin: false,
    hideCursor: false,
  }).start();
  return {
    show: (line) => {
      spinner.text = cut(line);
    },
    close: () => {
      spinner.stop();
    },
  };
}

/** Shows a status line while `work` runs. */
export async function withStatusLine<T>(text: string, work: (line: StatusLine) => Promise<T>): Promise<T> {
  const line = await openStatusLine(text);
  try {
    return await work(line);
  } finally {
    line.close();
  }
}

/** Shows a status line with the text while a command waits. */
export const waitingFor = <T>(text: string, wait: () => Promise<T>): Promise<T> =>
  withStatusLine(`${text} …`, wait);

/** Progress of a command. */
interface Progress {
  readonly done: number;
  /** `undefined` while it is unknown, as for lines from a pipe. */
  readonly total: number | undefined;
  readonly failed?: number;
}

/** Returns a text such as `120 of 500 (24%), 2 failed`. */
export function progressText({ done, total, failed = 0 }: Progress): string {
  const failures = failed === 0 ? '' : `, ${failed} failed`;
  if (total === undefined) return `${done} done${failures}`;
  return `${done} of ${total} (${Math.floor((100 * done) / Math.max(total, 1))}%)${failures}`;
}
