/** The part of a terminal that a bar needs. */
export interface Terminal {
  readonly columns?: number;
  write(text: string): unknown;
}

/** How far a command has come. */
export interface Progress {
  readonly done: number;
  /** `undefined` while it is not known, as for lines from a pipe. */
  readonly total: number | undefined;
  readonly failed?: number;
}

const WIDTH = 30;
/** Often enough to look alive, seldom enough to cost nothing. */
const REDRAW_MS = 100;
const ERASE_LINE = '\r\u001b[K';

/** One line of a terminal that is drawn over itself, with other lines above it. */
export class ProgressBar {
  private drawnAtMs = 0;
  private text = '';

  constructor(private readonly terminal: Terminal) {}

  show(progress: Progress): void {
    this.text = textOf(progress);
    const nowMs = Date.now();
    if (nowMs - this.drawnAtMs < REDRAW_MS && progress.done !== progress.total) return;
    this.drawnAtMs = nowMs;
    this.draw();
  }

  /** Writes a line above the bar. */
  print(line: string): void {
    this.terminal.write(`${ERASE_LINE}${line}\n`);
    this.draw();
  }

  /** Takes the bar away. */
  close(): void {
    this.terminal.write(ERASE_LINE);
  }

  private draw(): void {
    const { columns = 80 } = this.terminal;
    this.terminal.write(`${ERASE_LINE}${this.text.slice(0, columns - 1)}`);
  }
}

function textOf({ done, total, failed = 0 }: Progress): string {
  const failures = failed === 0 ? '' : `, ${failed} failed`;
  if (total === undefined) return `${done} done${failures}`;
  const filled = Math.round((WIDTH * done) / Math.max(total, 1));
  return `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${done}/${total}${failures}`;
}
