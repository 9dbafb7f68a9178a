import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { serveCodec } from '../../../cli/commands/codec-server';

test('the codec server answers a request that never ends with 408, or with 413 if it is too large, and closes the connection', async () => {
  const codec = { decode: () => Promise.resolve({ payloads: [] }), encode: () => Promise.resolve(undefined) };
  const place = { host: '127.0.0.1', port: 0, namespace: 'default', allowEncode: false };
  const server = await serveCodec({ codec, ...place, requestTimeoutMs: 500 });
  try {
    for (const [length, sent, status] of [
      [1_000, 10, 408],
      [20 * 1024 * 1024, 17 * 1024 * 1024, 413],
    ] as const) {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
      const head = `POST /decode HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${length}`;
      socket.write(`${head}\r\n\r\n${' '.repeat(sent)}`);
      // The client keeps sending the request slowly. The connection must be closed all the same.
      const drip = setInterval(() => socket.write(' '), 50);
      socket.on('error', () => undefined);
      const answer = text(socket).catch(() => '');
      await once(socket, 'close');
      clearInterval(drip);
      expect(await answer).toContain(status === 408 ? '408' : '413');
    }
  } finally {
    await server.close();
  }
});
