import { once } from 'node:events';
import { createServer as createHttp2Server } from 'node:http2';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { resolveEngine, startEngine, type RunningEngine } from '../../engine';
import { connectTemporal } from '../../src/settings';

let engine: RunningEngine;

beforeAll(async () => {
  const { executable } = await resolveEngine({ ignoreAddress: true });
  engine = await startEngine({ executable });
}, 20 * 60_000);

afterAll(async () => {
  await engine.stop();
});

test('connects to a server that answers', async () => {
  const { connection, namespace } = await connectTemporal({
    connection: { address: engine.address },
    namespace: 'default',
  });
  try {
    const described = await connection.workflowService.describeNamespace({ namespace });
    expect(described.namespaceInfo?.name).toBe('default');
  } finally {
    await connection.close();
  }
});

test('a server that does not answer is named, with what to do', async () => {
  const sockets: Socket[] = [];
  const silent = createTcpServer((socket) => sockets.push(socket));
  const address = await listen(silent);
  try {
    const connecting = connectTemporal(
      { connection: { address }, namespace: 'default' },
      { connectTimeoutMs: 300 },
    );
    await expect(connecting).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: `The Temporal server at ${address} does not answer. Start one with \`paysession dev\`, or correct TEMPORAL_ADDRESS and the TEMPORAL_TLS_* settings.`,
    });
  } finally {
    for (const socket of sockets) socket.destroy();
    await close(silent);
  }
});

test('a server that refuses the credentials is told apart', async () => {
  const unauthenticated = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '16' };
  const refusing = createHttp2Server((_request, response) => {
    response.stream.respond(unauthenticated, { endStream: true });
  });
  const address = await listen(refusing);
  try {
    const connecting = connectTemporal({ connection: { address }, namespace: 'default' });
    await expect(connecting).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: `The Temporal server at ${address} refuses the credentials. Correct TEMPORAL_API_KEY or the TEMPORAL_TLS_* settings.`,
    });
  } finally {
    await close(refusing);
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
