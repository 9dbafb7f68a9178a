/** The part of a terminal that a bar needs. */
export interface Terminal {
  readonly columns?: number;
  write(text: string): unknown;
}

const WIDTH = 30;
/** Often enough to look alive, seldom enough to cost nothing. */
const REDRAW_MS = 100;
const ERASE_LINE = '\r\u001b[K';

/** One line that is drawn over itself, with other lines above it. */
export class ProgressBar {
  private drawnAtMs = 0;
  private done = 0;
  private failed = 0;

  constructor(
    private readonly terminal: Terminal,
    /** Lines to do; `undefined` while they come from a pipe. */
    private readonly total: number | undefined,
  ) {}

  advance(failed: boolean): void {
    this.done += 1;
    if (failed) this.failed += 1;
    const nowMs = Date.now();
    if (nowMs - this.drawnAtMs < REDRAW_MS && this.done !== this.total) return;
    this.drawnAtMs = nowMs;
    this.draw();
  }

  /** Writes a line above the bar. */
  print(line: string): void {
    this.terminal.write(`${ERASE_LINE}${line}\n`);
    this.draw();
  }

  /** Leaves the line as it was. */
  close(): void {
    this.terminal.write(ERASE_LINE);
  }

  private draw(): void {
    const { columns = 80 } = this.terminal;
    this.terminal.write(`${ERASE_LINE}${this.text().slice(0, columns - 1)}`);
  }

  private text(): string {
    const failures = this.failed === 0 ? '' : `, ${this.failed} failed`;
    if (this.total === undefined) return `${this.done} done${failures}`;
    const filled = Math.round((WIDTH * this.done) / Math.max(this.total, 1));
    const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
    return `${bar} ${this.done}/${this.total}${failures}`;
  }
}
