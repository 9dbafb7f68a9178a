import type { Socket } from 'node:net';

/** Returns a behaviour that sends `start` and then `more` again and again, as fast as the client reads, and a counter of sent bytes. */
export function endless(start: string, more: string) {
  const told = { bytes: 0 };
  const piece = Buffer.from(more.repeat(Math.ceil(16_384 / more.length)));
  const answer = (socket: Socket): void => {
    socket.write(start);
    const pour = (): void => {
      while (!socket.destroyed && socket.write(piece)) told.bytes += piece.length;
    };
    socket.on('drain', pour);
    pour();
  };
  return { answer, told };
}
