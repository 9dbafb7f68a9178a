import { once } from 'node:events';
import { createServer as createHttp2Server } from 'node:http2';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  resolveTemporalServer,
  startTemporalServer,
  type RunningTemporalServer,
} from '../../../src/temporal-server';
import { connectTemporal } from '../../../src/settings';
import { until } from '../../support/wait';

/** The gRPC frame of an empty message. */
const EMPTY_MESSAGE = Buffer.alloc(5);

let temporal: RunningTemporalServer;

beforeAll(async () => {
  const { executable } = await resolveTemporalServer();
  temporal = await startTemporalServer({ executable });
}, 20 * 60_000);

afterAll(async () => {
  await temporal.stop();
});

test('connectTemporal connects to a server that answers', async () => {
  const { connection, namespace } = await connectTemporal({
    connection: { address: temporal.address },
    namespace: 'default',
  });
  try {
    const described = await connection.workflowService.describeNamespace({ namespace });
    expect(described.namespaceInfo?.name).toBe('default');
  } finally {
    await connection.close();
  }
});

test('connectTemporal fails for a server that does not answer, with its address and a remedy', async () => {
  const sockets: Socket[] = [];
  const silent = createTcpServer((socket) => sockets.push(socket));
  const address = await listen(silent);
  try {
    const connecting = connectTemporal(
      { connection: { address }, namespace: 'default' },
      { connectTimeoutMs: 300 },
    );
    await expect(connecting).rejects.toMatchObject({
      code: 'TEMPORAL_UNAVAILABLE',
      message: `The Temporal server at ${address} does not answer. Start one with \`paysession dev\`, or correct TEMPORAL_ADDRESS and the TEMPORAL_TLS_* settings.`,
    });
  } finally {
    for (const socket of sockets) socket.destroy();
    await close(silent);
  }
});

test('connectTemporal fails with a clear error if the server refuses the credentials', async () => {
  const unauthenticated = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '16' };
  const refusing = createHttp2Server((_request, response) => {
    response.stream.respond(unauthenticated, { endStream: true });
  });
  const address = await listen(refusing);
  try {
    const connecting = connectTemporal({ connection: { address }, namespace: 'default' });
    await expect(connecting).rejects.toMatchObject({
      code: 'TEMPORAL_UNAVAILABLE',
      message: `The Temporal server at ${address} refuses the credentials. Correct TEMPORAL_API_KEY or the TEMPORAL_TLS_* settings.`,
    });
  } finally {
    await close(refusing);
  }
});

test('a connection to Temporal can be closed while a call waits for its next try', async () => {
  let calls = 0;
  const busy = createHttp2Server();
  busy.on('stream', (stream) => {
    calls += 1;
    const headers = { ':status': 200, 'content-type': 'application/grpc' };
    if (calls > 1) {
      stream.respond({ ...headers, 'grpc-status': '14' }, { endStream: true });
      return;
    }
    stream.respond(headers, { waitForTrailers: true });
    stream.on('wantTrailers', () => {
      stream.sendTrailers({ 'grpc-status': '0' });
    });
    stream.end(EMPTY_MESSAGE);
  });
  const address = await listen(busy);
  try {
    const { connection } = await connectTemporal({ connection: { address }, namespace: 'default' });
    const ended = expect(connection.workflowService.getSystemInfo({})).rejects.toMatchObject({
      details: 'Error: Channel has been shut down',
    });
    // After these tries, the call waits half a second or longer before each next try.
    await until(
      () => Promise.resolve(calls),
      (count) => count >= 5,
    );
    await connection.close();
    await ended;
  } finally {
    await close(busy);
  }
});

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}
