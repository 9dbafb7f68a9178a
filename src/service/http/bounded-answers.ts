import type { Duplex } from 'node:stream';
import type { buildConnector } from 'undici';

/**
 * Bounds each answer by the bytes that its connection brings, whatever they are. undici bounds a header and a body, but not interim answers
 * (1xx), the extensions of chunks, or empty lines: a server that sends them without end keeps a processor busy until the time is over.
 *
 * A connection carries one request at a time. One that brings more than `mostBytes` after a request is destroyed with `ANSWER_TOO_LARGE`;
 * what came in one piece is parsed first, so that an honest answer with a large body keeps its status.
 */
export function boundAnswers(connect: buildConnector.connector, mostBytes: number): buildConnector.connector {
  return (where, callback) => {
    connect(where, (...result) => {
      const [error, socket] = result;
      if (error === null) boundReads(socket, mostBytes);
      callback(...result);
    });
  };
}

/** undici takes what it parses by `read`, and writes nothing but requests. */
function boundReads(socket: Duplex, mostBytes: number): void {
  const [read, write] = [socket.read.bind(socket), socket.write.bind(socket)];
  let seen = 0;
  const writeAndCount = (...args: Parameters<typeof write>): boolean => {
    seen = 0;
    return write(...args);
  };
  const readWithin = (size?: number): unknown => {
    if (seen > mostBytes) {
      socket.destroy(tooLarge());
      return null;
    }
    const bytes: unknown = read(size);
    if (Buffer.isBuffer(bytes)) seen += bytes.length;
    return bytes;
  };
  Object.assign(socket, { read: readWithin, write: writeAndCount });
}

const tooLarge = (): Error =>
  Object.assign(new Error('The answer has too many bytes.'), { code: 'ANSWER_TOO_LARGE' });
