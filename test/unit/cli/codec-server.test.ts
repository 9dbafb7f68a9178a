import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from '@jest/globals';
import type { RemoteCodec } from '../../../cli/commands/codec/remote-codec';
import { serveCodec, type CodecServer } from '../../../cli/commands/codec/server';

let server: CodecServer | undefined;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server?.close();
});

async function serve(decode: RemoteCodec['decode']): Promise<void> {
  const codec = { decode, encode: decode };
  server = await serveCodec({ codec, host: '127.0.0.1', port: 0, namespace: 'default', allowEncode: true });
}

async function connected(): Promise<Socket> {
  const socket = connect(Number(new URL(server?.url ?? '').port), '127.0.0.1');
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

const asking = (path: string): string =>
  [
    `POST ${path} HTTP/1.1`,
    'host: x',
    'content-type: application/json',
    'content-length: 2',
    'connection: close',
  ].join('\r\n') + '\r\n\r\n{}';

test.each(['/decode', '/encode'])('work on %s stops once its caller is gone', async (path) => {
  let begin: (gone: AbortSignal | undefined) => void;
  const began = new Promise<AbortSignal | undefined>((resolve) => (begin = resolve));
  await serve(async (_body, gone) => {
    begin(gone);
    if (gone !== undefined) await once(gone, 'abort');
    return undefined;
  });
  const caller = await connected();
  caller.write(asking(path));
  const gone = await began;
  if (gone === undefined) throw new Error('it is not told when its caller is gone');
  expect(gone.aborted).toBe(false);
  const stopped = once(gone, 'abort');
  caller.destroy();
  await stopped;
});

test('a hundred connections are held at once, and no more', async () => {
  await serve(() => Promise.resolve({ payloads: [] }));
  const held: Socket[] = [];
  while (held.length < 100) held.push(await connected());
  const another = await connected();
  another.write(asking('/decode'));
  expect(await text(another).catch(() => '')).toBe('');
  for (const socket of held) socket.write(asking('/decode'));
  const answers = await Promise.all(held.map((socket) => text(socket)));
  expect(answers.filter((answer) => !answer.startsWith('HTTP/1.1 200 '))).toEqual([]);
});

test('a request that is not UTF-8 is refused, and one with a byte order mark is taken', async () => {
  const asked: unknown[] = [];
  await serve((body) => {
    asked.push(body);
    return Promise.resolve({ payloads: [] });
  });
  const post = async (body: Uint8Array) => {
    const headers = { 'content-type': 'application/json' };
    return (await fetch(`${server?.url ?? ''}/decode`, { method: 'POST', headers, body })).status;
  };
  expect(await post(Buffer.from('{"payloads":["Chlo\xe9"]}', 'latin1'))).toBe(400);
  expect(await post(Buffer.from('{"payloads":[]}', 'utf16le'))).toBe(400);
  expect(asked).toEqual([]);
  expect(await post(Buffer.from('\ufeff{"payloads":["Chloé"]}'))).toBe(200);
  expect(asked).toEqual([{ payloads: ['Chloé'] }]);
});
