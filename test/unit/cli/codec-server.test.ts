import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from '@jest/globals';
import {
  serveCodec,
  type CodecServer,
  Connections,
  type RemoteCodec,
} from '../../../cli/commands/codec-server';
import { until } from '../../support/wait';

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

const requestTo = (path: string): string =>
  [
    `POST ${path} HTTP/1.1`,
    'host: x',
    'content-type: application/json',
    'content-length: 2',
    'connection: close',
  ].join('\r\n') + '\r\n\r\n{}';

test.each(['/decode', '/encode'])(
  'the codec server stops work on %s once the caller has disconnected',
  async (path) => {
    let onBegin: (callerGone: AbortSignal | undefined) => void;
    const began = new Promise<AbortSignal | undefined>((resolve) => (onBegin = resolve));
    await serve(async (_body, callerGone) => {
      onBegin(callerGone);
      if (callerGone !== undefined) await once(callerGone, 'abort');
      return undefined;
    });
    const caller = await connected();
    caller.write(requestTo(path));
    const callerGone = await began;
    if (callerGone === undefined)
      throw new Error('the codec gets no signal that aborts when the caller is gone');
    expect(callerGone.aborted).toBe(false);
    const stopped = once(callerGone, 'abort');
    caller.destroy();
    await stopped;
  },
);

test.each<[what: string, begins: string]>([
  ['send nothing', ''],
  ['are slow with their headers', 'POST /decode HTTP/1.1\r\nhost: x\r\nx-slow: '],
  ['are slow with their bodies', requestTo('/decode').replace('content-length: 2', 'content-length: 1000')],
])('a hundred connections to the codec server that %s do not block other callers', async (_what, begins) => {
  await serve(() => Promise.resolve({ payloads: [] }));
  const slow: Socket[] = [];
  while (slow.length < 100) {
    const socket = await connected();
    socket.write(begins);
    slow.push(socket);
  }
  for (let call = 0; call < 3; call += 1) {
    const another = await connected();
    another.write(requestTo('/decode'));
    expect(await text(another)).toMatch(/^HTTP\/1.1 200 /);
  }
});

test('the codec server accepts at most fifty connections of a peer while it answers all of them', async () => {
  let releaseAnswers = (): void => undefined;
  const answer = new Promise<void>((resolve) => (releaseAnswers = resolve));
  let decodes = 0;
  await serve(async () => {
    decodes += 1;
    await answer;
    return { payloads: [] };
  });
  const held: Socket[] = [];
  while (held.length < 50) {
    const socket = await connected();
    socket.write(requestTo('/decode'));
    held.push(socket);
  }
  await until(
    () => Promise.resolve(decodes),
    (count) => count === 50,
  );
  const another = await connected();
  another.write(requestTo('/decode'));
  expect(await text(another).catch(() => '')).toBe('');
  releaseAnswers();
  const answers = await Promise.all(held.map((socket) => text(socket)));
  expect(answers.filter((answered) => !answered.startsWith('HTTP/1.1 200 '))).toEqual([]);
});

test('if a peer has too many connections, the codec server closes the oldest connection of this peer', () => {
  const server = createServer();
  const connections = new Connections(server, { most: 4, mostOfPeer: 2 });
  const from = (remoteAddress: string) => {
    const socket = Object.assign(new PassThrough(), { remoteAddress }) as unknown as Socket;
    server.emit('connection', socket);
    return socket;
  };
  const other = from('10.0.0.1');
  const own = [from('10.0.0.2'), from('10.0.0.2'), from('10.0.0.2')];
  expect([other, ...own].map(({ destroyed }) => destroyed)).toEqual([false, true, false, false]);
  // At the limit for all connections, the server closes the oldest connection without a running answer.
  const [first, second] = [from('10.0.0.3'), from('10.0.0.4')];
  expect([other, first, second].map(({ destroyed }) => destroyed)).toEqual([true, false, false]);
  for (const socket of [...own, first, second]) connections.answering(socket);
  expect(from('10.0.0.5').destroyed).toBe(true);
  connections.answered(first);
  expect([from('10.0.0.6').destroyed, first.destroyed]).toEqual([false, true]);
});

test('the codec server refuses a request that is not UTF-8, and accepts a byte order mark', async () => {
  const bodies: unknown[] = [];
  await serve((body) => {
    bodies.push(body);
    return Promise.resolve({ payloads: [] });
  });
  const post = async (body: Uint8Array) => {
    const headers = { 'content-type': 'application/json' };
    return (await fetch(`${server?.url ?? ''}/decode`, { method: 'POST', headers, body })).status;
  };
  expect(await post(Buffer.from('{"payloads":["Chlo\xe9"]}', 'latin1'))).toBe(400);
  expect(await post(Buffer.from('{"payloads":[]}', 'utf16le'))).toBe(400);
  expect(bodies).toEqual([]);
  expect(await post(Buffer.from('\ufeff{"payloads":["Chloé"]}'))).toBe(200);
  expect(bodies).toEqual([{ payloads: ['Chloé'] }]);
});

test('the codec server can close while a caller has an open connection without a request', async () => {
  await serve(() => Promise.resolve({ payloads: [] }));
  const silent = await connected();
  const closed = once(silent, 'close');
  await server?.close();
  server = undefined;
  await closed;
});
