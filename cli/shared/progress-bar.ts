/** A progress bar on a terminal; elsewhere it shows nothing. */
export interface ProgressBar {
  readonly show: (done: number, total: number) => void;
  /** Takes the bar away. */
  end(): void;
}

export interface BarStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const WIDTH = 30;
const CLEAR_LINE = '\r\x1b[2K';

export function createProgressBar(stream: BarStream): ProgressBar {
  if (stream.isTTY !== true) return { show: () => undefined, end: () => undefined };
  return {
    show: (done, total) => {
      const filled = total === 0 ? WIDTH : Math.round((done / total) * WIDTH);
      stream.write(`${CLEAR_LINE}${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${done}/${total}`);
    },
    end: () => {
      stream.write(CLEAR_LINE);
    },
  };
}
