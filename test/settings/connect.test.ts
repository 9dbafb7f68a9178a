import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { resolveEngine, startEngine, type RunningEngine } from '../../src/engine';
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
  const silent = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const connecting = connectTemporal(
    { connection: { address }, namespace: 'default' },
    { connectTimeoutMs: 300 },
  );
  await expect(connecting).rejects.toMatchObject({
    code: 'ENGINE_UNAVAILABLE',
    message: expect.stringMatching(
      new RegExp(`^The Temporal server at ${address} does not answer\\. Start one with \`paysession dev\``),
    ),
  });
  silent.close();
  await once(silent, 'close');
});
