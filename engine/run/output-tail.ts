import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';

const TAIL_CHARACTERS = 4_000;

/** Keeps the end of what streams write, and copies all of it to a file where one is given. */
export class OutputTail {
  private kept = '';

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
        this.kept = (this.kept + text).slice(-TAIL_CHARACTERS);
        if (copy?.writable === true) copy.write(text);
      });
      stream.once('close', () => {
        open -= 1;
        if (open === 0) copy?.end();
      });
    }
  }

  get text(): string {
    return this.kept.trim();
  }
}
