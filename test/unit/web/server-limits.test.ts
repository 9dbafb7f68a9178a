import http from 'node:http';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createSandbox } from '../../../sandbox';
import { consoleFor, OIDC } from '../../support/console/guarded-console';

let createServer: jest.SpiedFunction<typeof http.createServer>;
const closing: (() => Promise<unknown>)[] = [];

beforeEach(() => {
  createServer = jest.spyOn(http, 'createServer');
});

afterEach(async () => {
  createServer.mockRestore();
  for (const close of closing.splice(0)) await close();
});

const startConsole = () => {
  const { app } = consoleFor({ ...OIDC, issuer: 'https://issuer.example', clientId: 'console' });
  closing.push(() => app.close());
  return Promise.resolve();
};
const startSandbox = async () => {
  const sandbox = createSandbox();
  closing.push(() => sandbox.close());
  await sandbox.listen();
  return sandbox;
};

test.each([
  ['the console', startConsole],
  ['the sandbox', startSandbox],
  [
    'the sandbox’s control port',
    async () => {
      const sandbox = await startSandbox();
      createServer.mockClear();
      await sandbox.listenControl();
    },
  ],
])(
  '%s accepts at most a thousand connections, and waits at most half a minute for a request',
  async (_name, start) => {
    await start();
    expect(createServer.mock.calls).toMatchObject([
      [{ connectionsCheckingInterval: 5_000 }, expect.anything()],
    ]);
    const [made] = createServer.mock.results;
    expect(made?.value).toMatchObject({
      maxConnections: 1_000,
      requestTimeout: 30_000,
      headersTimeout: 30_000,
    });
  },
);
