import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';

const TAIL_CHARACTERS = 4_000;
/** Where a program in Go that panics begins to list its goroutines: pages of them, and what is wrong stands before. */
const STACKS = /^goroutine \d+ \[/m;

/** Keeps the end of what streams write, but no stacks, and copies all of it to a file where one is given. */
export class OutputTail {
  private kept = '';
  private hasPanicked = false;

  constructor(streams: readonly Readable[], file?: string) {
    const copy = file === undefined ? undefined : createWriteStream(file, { flags: 'a', mode: 0o600 });
    // A full disk must not stop the engine: what it says is then only not kept.
    copy?.on('error', () => {
      copy.destroy();
    });
    let open = streams.length;
    for (const stream of streams) {
      stream.setEncoding('utf8');
      stream.on('data', (text: string) => {
        this.keep(text);
        if (copy?.writable === true) copy.write(text);
      });
      stream.once('close', () => {
        open -= 1;
        if (open === 0) copy?.end();
      });
    }
  }

  private keep(text: string): void {
    if (this.hasPanicked) return;
    const all = this.kept + text;
    const stacks = all.search(STACKS);
    this.hasPanicked = stacks !== -1;
    this.kept = (this.hasPanicked ? all.slice(0, stacks) : all).slice(-TAIL_CHARACTERS);
  }

  get text(): string {
    return this.kept.trim();
  }
}
