import { wantsJson } from './early-error';
import { cutTo, hasColors } from './terminal';

/** A status line that stays at the bottom of a terminal, below all other output. */
export interface StatusLine {
  show(text: string): void;
  /** Removes the line. */
  close(): void;
}

const NOWHERE: StatusLine = { show: () => undefined, close: () => undefined };
/** The number of columns that a status line needs in addition to its text: the spinner, a space, and a column for the cursor. */
const BESIDE_TEXT = 3;
const STILL = { frames: ['●'], interval: 1_000 };

/**
 * Opens a status line on standard error. Shows nothing if standard error is not a terminal that can overwrite a line, or with `--json` or `--jsonl`.
 *
 * @param still true for a line without a moving spinner, which stays for hours
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
    // These options leave the terminal's settings unchanged. A command that ends early could not restore them.
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
  /** The total. `undefined` if it is not known yet, for instance for lines from a pipe. */
  readonly total: number | undefined;
  readonly failed?: number;
}

/** Returns a text such as `120 of 500 (24%), 2 failed`. */
export function progressText({ done, total, failed = 0 }: Progress): string {
  const failures = failed === 0 ? '' : `, ${failed} failed`;
  if (total === undefined) return `${done} done${failures}`;
  return `${done} of ${total} (${Math.floor((100 * done) / Math.max(total, 1))}%)${failures}`;
}
