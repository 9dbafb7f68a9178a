import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import { webhookPost } from '../../../../ledger';
import { endless } from '../../../support/service/endless-answer';
import type { Delivery } from '../../../../ledger/webhooks/post';

const close: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const one of close.splice(0)) await one();
});

/** Sends one webhook to a receiver that answers with `answer`. Returns the delivery, and the text that the receiver got. */
async function sendTo(answer: (socket: Socket) => void): Promise<{ delivery: Delivery; sent: string }> {
  let sent = '';
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      sent += bytes.toString();
      if (sent.endsWith('{}')) answer(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  close.push(async () => {
    sockets.forEach((socket) => socket.destroy());
    server.close();
    await once(server, 'close');
  });
  const post = webhookPost({ allowsLoopback: true });
  close.push(() => post.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const endpoint = { name: 'shop', url, secrets: ['whsec_c2VjcmV0'] };
  return { delivery: await post.send(endpoint, { id: 'msg_1', body: '{}' }), sent };
}

const head = (status: string, ...headers: readonly string[]): string =>
  [`HTTP/1.1 ${status}`, ...headers, '', ''].join('\r\n');

const coded = (coding: string, body: Buffer) => (socket: Socket) => {
  socket.write(head('200 OK', `content-encoding: ${coding}`, `content-length: ${body.length}`));
  socket.write(body);
};

describe('a webhook', () => {
  test('asks the receiver for an answer without a content coding', async () => {
    const { sent } = await sendTo((socket) => socket.write(head('204 No Content')));
    expect(sent).toContain('\r\naccept-encoding: identity\r\n');
  });

  test.each<[what: string, answer: (socket: Socket) => void]>([
    ['in a content coding', coded('gzip', gzipSync('thank you'))],
    ['in a content coding that expands to 20 MB', coded('gzip', gzipSync(Buffer.alloc(20_000_000)))],
    ['that is not in the announced content coding', coded('br', Buffer.from('thank you'))],
    ['in an unknown content coding', coded('zstd', Buffer.from('thank you'))],
    ['that is larger than the part that is read', coded('identity', Buffer.alloc(100_000))],
    [
      'after an interim answer',
      (socket) => socket.write(head('103 Early Hints', 'link: </>') + head('200 OK', 'content-length: 0')),
    ],
    [
      'in chunks with trailers',
      (socket) =>
        socket.write(`${head('200 OK', 'transfer-encoding: chunked')}3\r\nyes\r\n0\r\ndigest: x\r\n\r\n`),
    ],
    ['that is cut off', (socket) => socket.end(`${head('200 OK', 'content-length: 100')}thank`)],
  ])('counts as delivered if the receiver answers 200 %s', async (_what, answer) => {
    expect((await sendTo(answer)).delivery).toEqual({ delivered: true, outcome: 'HTTP 200' });
  });
});

const CHUNKED = head('200 OK', 'transfer-encoding: chunked');
/** More than the size of the kernel's buffers for a connection on this machine. */
const IN_KERNEL_BYTES = 32_000_000;

describe('an endless answer of a webhook receiver', () => {
  test.each([
    ['with interim answers', '', head('103 Early Hints')],
    [
      'with interim answers that have a header each',
      '',
      head('103 Early Hints', `link: ${'x'.repeat(8_000)}`),
    ],
    ['with empty lines', '', '\r\n'],
    ['within its status line', 'HTTP/1.1 200 ', 'x'],
    ['within a header', 'HTTP/1.1 200 OK\r\nlink: ', 'x'],
  ])('%s, is a failed delivery after a limited number of bytes', async (_what, start, more) => {
    const { answer, told } = endless(start, more);
    const { delivery } = await sendTo(answer);
    expect(delivery).toMatchObject({
      delivered: false,
      outcome: expect.stringMatching(/^(ANSWER_TOO_LARGE|UND_ERR_HEADERS_OVERFLOW|HPE_\w+)$/),
    });
    expect(told.bytes).toBeLessThan(IN_KERNEL_BYTES);
  });

  test.each([
    ['with chunks that have extensions', CHUNKED, `1;${'x'.repeat(1_000)}\r\nx\r\n`],
    ['within a chunk’s extension', `${CHUNKED}1;`, 'x'],
    ['within a chunk’s size', CHUNKED, '0'],
    ['within its body', CHUNKED, `1000\r\n${'x'.repeat(4_096)}\r\n`],
    ['with trailers', `${CHUNKED}0\r\n`, 'digest: x\r\n'],
  ])(
    '%s, is a delivery because of its status, and a limited number of bytes is read',
    async (_what, start, more) => {
      const { answer, told } = endless(start, more);
      expect((await sendTo(answer)).delivery).toEqual({ delivered: true, outcome: 'HTTP 200' });
      expect(told.bytes).toBeLessThan(IN_KERNEL_BYTES);
    },
  );
});
