import type { Socket } from 'node:net';

/** Sends the same bytes again and again, as fast as they are read, and counts them. */
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
