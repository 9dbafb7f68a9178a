import { describe, expect, test } from '@jest/globals';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox';
import { askForHost } from '../../support/ask-for-host';
import { startService } from '../../support/sandbox/requests-to-sandbox';

const statusFor = async (url: string, host: string) => (await askForHost(`${url}/healthz`, host)).status;

async function withSandbox<T>(
  options: SandboxOptions,
  host: string,
  work: (sandbox: Sandbox, port: number) => Promise<T>,
): Promise<T> {
  const sandbox = createSandbox(options);
  try {
    const { port } = await sandbox.listen({ host });
    return await work(sandbox, port);
  } finally {
    await sandbox.close();
  }
}

describe('the sandbox’s main port', () => {
  test.each(['127.0.0.1', 'localhost', 'LOCALHOST:4010', '[::1]:4010', '127.0.0.1:80'])(
    'accepts requests for the host %s',
    async (host) => {
      expect(await statusFor((await startService()).sandbox.url, host)).toBe(200);
    },
  );

  test.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example:4010',
    'evil.localhost',
    '10.0.0.7',
    '127.0.0.1@evil.example',
  ])('refuses requests for the host %j, which a web page could send, and says what to do', async (host) => {
    const { sandbox } = await startService();
    const { status, type, body } = await askForHost(sandbox.url, host);
    expect([status, type]).toEqual([403, expect.stringContaining('application/problem+json')]);
    expect(JSON.parse(body)).toMatchObject({ detail: expect.stringContaining('--allow-host NAME') });
    expect(body).not.toContain('evil');
  });

  test('refuses every path for an unknown host, records no call, and uses up no fault', async () => {
    const service = await startService();
    service.sandbox.failNext('authorize', { kind: 'status', status: 503, phase: 'before' });
    for (const path of ['/', '/outbox', '/outbox.json', '/app/', '/openapi.json', '/nowhere']) {
      expect((await askForHost(service.sandbox.url + path, 'evil.example')).status).toBe(403);
    }
    expect(service.sandbox.calls).toEqual([]);
    expect((await service.authorize()).status).toBe(503);
  });

  test('accepts requests for the allowed hosts and for the host of the public URL', async () => {
    const options = { allowedHosts: ['Sandbox', 'pay.internal'], publicUrl: 'https://pay.example/test' };
    const { url } = (await startService(options)).sandbox;
    for (const host of ['sandbox:4010', 'PAY.internal', 'pay.example']) {
      expect([host, await statusFor(url, host)]).toEqual([host, 200]);
    }
    expect(await statusFor(url, 'example')).toBe(403);
  });

  test('that listens on every address accepts requests for any address, but not for other names', async () => {
    await withSandbox({}, '0.0.0.0', async (_sandbox, port) => {
      const url = `http://127.0.0.1:${port}`;
      expect(await statusFor(url, '10.0.0.7:4010')).toBe(200);
      expect(await statusFor(url, '[fe80::1]')).toBe(200);
      expect(await statusFor(url, 'evil.example')).toBe(403);
    });
  });

  test('accepts requests for the address that it listens on', async () => {
    await withSandbox({}, '127.0.0.2', async ({ url }) => {
      expect(await statusFor(url, '127.0.0.2')).toBe(200);
      expect(await statusFor(url, '127.0.0.3')).toBe(403);
    });
  });

  test.each(['pay', 'ftp://pay.example', 'https://pay.example/?shop=1', ''])(
    'refuses the public URL %j',
    (publicUrl) => {
      expect(() => createSandbox({ publicUrl })).toThrow(
        expect.objectContaining({
          code: 'INVALID_SETTINGS',
          message: expect.stringContaining('public URL'),
        }),
      );
    },
  );

  test.each(['https://pay.example', 'pay.example:80', '*', '', 'a b'])(
    'refuses the allowed host %j',
    (host) => {
      expect(() => createSandbox({ allowedHosts: [host] })).toThrow(
        expect.objectContaining({
          code: 'INVALID_SETTINGS',
          message: expect.stringContaining('Name each allowed host'),
        }),
      );
    },
  );
});
