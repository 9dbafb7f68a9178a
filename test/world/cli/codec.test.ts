import { execFile } from 'node:child_process';
import { createHmac, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { encryptedDataConverter } from '../../../src';
import { formsOf } from '../../support/canary/canaries';
import { completing } from '../../support/requests';
import { newKey } from '../../support/undecryptable';
import { useWorld } from '../../support/worlds/use-world';
import { paysession, startPaysession, type Running } from '../../support/cli/run-paysession';
import { remoteCodec } from '../../../cli/commands/codec-server';

const KEY = newKey('2031-05-01');
const ORIGIN = 'http://localhost:8233';
const TOKEN = randomBytes(24).toString('hex');
const keys = { PAYSESSION_ENCRYPTION_KEYS: `${KEY.id}:${Buffer.from(KEY.secret).toString('base64')}` };
const inNamespace = (namespace: string) => ({ type: 'workflow', namespace, workflowId: 'id' }) as const;

const running: Running[] = [];

afterEach(async () => {
  for (const server of running.splice(0)) await server.interrupt();
});

async function serve(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const server = startPaysession(['codec', '--port', '0', ...args], { ...keys, ...env });
  running.push(server);
  const line = await server.line(/^listening on/);
  return /http\S+/.exec(line)?.[0] ?? '';
}

const toJson = ({ metadata, data }: Payload) => ({
  metadata: Object.fromEntries(
    Object.entries(metadata ?? {}).map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]),
  ),
  data: Buffer.from(data ?? []).toString('base64'),
});

async function encrypted(value: unknown, namespace = 'default') {
  const [codec] = encryptedDataConverter({ current: KEY }).payloadCodecs ?? [];
  const [payload] =
    (await codec?.encode([defaultPayloadConverter.toPayload(value)], inNamespace(namespace))) ?? [];
  return toJson(payload ?? {});
}

/** Sends a request as Temporal’s UI does. */
const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-namespace': 'default', origin: ORIGIN, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const textOf = (payload: { readonly data: string }) => Buffer.from(payload.data, 'base64').toString();

// Temporal’s web UI cannot decrypt payloads. It sends them to a codec server, which has the keys: `paysession codec`.

describe('for a page of Temporal’s UI, the codec server', () => {
  test('answers the CORS preflight, and returns the decrypted payloads in the order in which they came', async () => {
    const url = await serve(['--origin', ORIGIN]);
    const preflight = await fetch(`${url}/decode`, {
      method: 'OPTIONS',
      headers: {
        origin: ORIGIN,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,x-namespace',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(preflight.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('x-namespace');

    const plain = toJson(defaultPayloadConverter.toPayload('in plain text'));
    const answer = await post(`${url}/decode`, { payloads: [await encrypted({ a: 1 }), plain] });
    expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    const { payloads } = (await answer.json()) as { payloads: { data: string }[] };
    expect(payloads.map(textOf)).toEqual(['{"a":1}', '"in plain text"']);
  });

  test('returns a payload that it cannot decrypt unchanged, and decrypts the others', async () => {
    const url = await serve(['--origin', ORIGIN]);
    const elsewhere = await encrypted('for shops', 'shops');
    const answer = await post(`${url}/decode`, { payloads: [elsewhere, await encrypted('ours')] });
    const { payloads } = (await answer.json()) as { payloads: { data: string }[] };
    expect(payloads[0]).toEqual(elsewhere);
    expect(payloads[1] && textOf(payloads[1])).toBe('"ours"');
    expect(running[0]?.errors()).toMatch(/^warning: Stored data was rejected/);
  });

  test('answers 403 to a page of another origin or another namespace', async () => {
    const url = await serve(['--origin', ORIGIN]);
    const foreign = await post(`${url}/decode`, { payloads: [] }, { origin: 'http://evil.example' });
    expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    expect((await post(`${url}/decode`, { payloads: [] }, { 'x-namespace': 'shops' })).status).toBe(403);
  });
});

test('the codec server decrypts, and encrypts only with --allow-encode', async () => {
  const body = { payloads: [toJson(defaultPayloadConverter.toPayload('new'))] };
  expect((await post(`${await serve(['--origin', ORIGIN])}/encode`, body)).status).toBe(404);
  const both = await serve(['--origin', ORIGIN, '--allow-encode']);
  const encoded: unknown = await (await post(`${both}/encode`, body)).json();
  expect(JSON.stringify(encoded)).not.toContain(body.payloads[0]?.data);
  const decoded = await post(`${both}/decode`, encoded);
  expect(await decoded.json()).toEqual(body);
});

test('the codec server answers 413 to a request that is too large, and 400 to a request without payloads', async () => {
  const url = await serve(['--origin', ORIGIN]);
  expect((await post(`${url}/decode`, `{"payloads":["${'a'.repeat(17 * 1024 * 1024)}"]}`)).status).toBe(413);
  for (const body of ['{', '[]', '{"payloads":7}', '{"payloads":[{"data":7}]}'])
    expect((await post(`${url}/decode`, body)).status).toBe(400);
});

describe('a codec request with very many payloads', () => {
  const empty = (count: number) => `{"payloads":[${'{},'.repeat(count - 1)}{}]}`;

  test('gets 413, also if it has very many lists or object members in place of payloads', async () => {
    const url = await serve(['--origin', ORIGIN]);
    const metadata = `{"payloads":[{"metadata":{${'"a":"",'.repeat(2_000_000)}"b":""}}]}`;
    for (const body of [empty(4_000_000), `{"payloads":[${'['.repeat(8_000_000)}`, metadata]) {
      const refused = await post(`${url}/decode`, body);
      expect(refused.status).toBe(413);
      expect(await refused.json()).toEqual({
        message: expect.stringContaining('objects, lists and members'),
      });
    }
    expect((await post(`${url}/decode`, empty(3))).status).toBe(200);
  });

  test('does not delay other callers', async () => {
    const codec = encryptedDataConverter({ current: KEY }).payloadCodecs?.[0];
    if (codec === undefined) throw new Error('the converter has no codec');
    let others = 0;
    const ticking = setInterval(() => (others += 1), 1);
    const remote = remoteCodec(codec, 'default', () => undefined);
    const plain = toJson(defaultPayloadConverter.toPayload('in plain text'));
    const answer = await remote.decode({ payloads: Array.from({ length: 20_000 }, () => plain) });
    clearInterval(ticking);
    expect(answer?.payloads).toHaveLength(20_000);
    expect(others).toBeGreaterThan(5);
  });

  test('ends once its caller disconnects', async () => {
    const gone = new AbortController();
    let decoded = 0;
    const codec = {
      encode: (payloads: Payload[]) => Promise.resolve(payloads),
      decode: (payloads: Payload[]) => {
        decoded += payloads.length;
        gone.abort();
        return Promise.resolve(payloads);
      },
    };
    const remote = remoteCodec(codec, 'default', () => undefined);
    const asked = remote.decode({ payloads: Array.from({ length: 20_000 }, () => ({})) }, gone.signal);
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
    expect(decoded).toBeLessThan(1_000);
  });
});

describe('access to the codec server', () => {
  const statusWith = async (url: string, authorization?: string) =>
    (await post(`${url}/decode`, { payloads: [] }, authorization === undefined ? {} : { authorization }))
      .status;

  test('needs a token if other machines can connect, and needs none otherwise', async () => {
    const refused = await paysession(['codec', '--host', '0.0.0.0', '--port', '0'], { env: keys });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('PAYSESSION_CODEC_TOKEN') });
    expect(await statusWith(await serve(['--origin', ORIGIN]))).toBe(200);
  });

  test('is granted only with the token, which the server reads from a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'paysession-codec-'));
    const file = join(folder, 'token');
    writeFileSync(file, `${TOKEN}\n`);
    const url = await serve(['--origin', ORIGIN], { PAYSESSION_CODEC_TOKEN_FILE: file });
    rmSync(folder, { recursive: true });
    expect(await statusWith(url, `Bearer ${TOKEN}`)).toBe(200);
    for (const wrong of [undefined, `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, TOKEN, 'Bearer '])
      expect(await statusWith(url, wrong)).toBe(401);
  });

  describe('with OpenID Connect', () => {
    const ISSUER = 'https://issuer.example/';
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'RS256', use: 'sig' };
    const issuer = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [jwk] }));
    });
    let url: string;

    beforeAll(async () => {
      await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
    });

    afterAll(() => {
      issuer.close();
    });

    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const inAnHour = () => Math.floor(Date.now() / 1_000) + 3_600;
    const signed = (claims: object, header: object = { alg: 'RS256', kid: 'k1' }) => {
      const all = { iss: ISSUER, aud: 'codec', exp: inAnHour(), ...claims };
      const text = `${part(header)}.${part(all)}`;
      return `${text}.${createSign('RSA-SHA256').update(text).sign(privateKey, 'base64url')}`;
    };
    const withPublicKeyAsSecret = () => {
      const text = `${part({ alg: 'HS256', kid: 'k1' })}.${part({ iss: ISSUER, aud: 'codec', exp: inAnHour() })}`;
      const secret = publicKey.export({ type: 'spki', format: 'pem' });
      return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
    };

    test('is granted only with a token that the issuer has signed for this audience', async () => {
      const jwks = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/keys`;
      const flags = ['--oidc-issuer', ISSUER, '--oidc-audience', 'codec', '--oidc-jwks', jwks];
      url = await serve(['--origin', ORIGIN, ...flags]);
      expect(await statusWith(url, `Bearer ${signed({})}`)).toBe(200);
      const forged = [
        signed({ aud: 'other' }),
        signed({ iss: 'https://evil.example/' }),
        signed({ exp: 1 }),
        signed({ exp: undefined }),
        signed({}, { alg: 'none' }),
        `${signed({}).split('.').slice(0, 2).join('.')}.`,
        withPublicKeyAsSecret(),
      ];
      for (const token of forged) expect(await statusWith(url, `Bearer ${token}`)).toBe(401);
      expect(await statusWith(url)).toBe(401);
    });

    test('is refused, with a warning, if the proxy cannot fetch the issuer’s keys', async () => {
      const asked: string[] = [];
      const proxy = createServer().on('connect', (request, socket) => {
        asked.push(String(request.url));
        socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      });
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
      try {
        const flags = ['--oidc-issuer', ISSUER, '--oidc-audience', 'codec'];
        flags.push('--oidc-jwks', 'https://keys.example/keys');
        const server = startPaysession(['codec', '--port', '0', '--origin', ORIGIN, ...flags], {
          ...keys,
          HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
        });
        running.push(server);
        const line = await server.line(/^listening on/);
        expect(await statusWith(/http\S+/.exec(line)?.[0] ?? '', `Bearer ${signed({})}`)).toBe(401);
        expect(asked).toEqual(['keys.example:443']);
        expect(server.errors()).toContain('The URL of --oidc-jwks does not answer.');
      } finally {
        proxy.close();
      }
    });

    test('fails at the start if HTTPS_PROXY names an unsupported proxy', async () => {
      const flags = ['--oidc-issuer', ISSUER, '--oidc-audience', 'codec'];
      flags.push('--oidc-jwks', 'https://keys.example/keys');
      const env = { ...keys, HTTPS_PROXY: 'socks5://proxy.example:1080' };
      expect(await paysession(['codec', ...flags], { env })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('HTTPS_PROXY'),
      });
    });

    test('fails at the start if the issuer is set without the audience and the keys', async () => {
      const half = await paysession(['codec', '--oidc-issuer', ISSUER], { env: keys });
      expect(half).toMatchObject({ code: 2, stderr: expect.stringContaining('give all three') });
    });
  });
});

describe('Temporal’s command line', () => {
  const world = useWorld({ encryption: { current: KEY } });

  test('shows an encrypted session in plain text through the codec server', async () => {
    const session = await world.sessions.start(world.input(completing()));
    await session.result();
    const url = await serve([], { PAYSESSION_CODEC_TOKEN: TOKEN });
    const show = async (...codec: string[]) => {
      const { stdout } = await promisify(execFile)(
        process.env['PAYSESSION_TEST_TEMPORAL_EXECUTABLE'] ?? 'temporal',
        [
          ...['workflow', 'show', '--workflow-id', session.workflowId, '--output', 'json'],
          ...['--address', process.env['PAYSESSION_TEST_TEMPORAL'] ?? '', ...codec],
        ],
        { maxBuffer: 16 * 1024 * 1024 },
      );
      return stdout;
    };
    const decrypted = await show('--codec-endpoint', url, '--codec-auth', `Bearer ${TOKEN}`);
    const undecrypted = await show();
    // The program shows payloads in base64.
    const forms = formsOf('avery.tremblay@example.com');
    expect(forms.some((form) => decrypted.includes(form))).toBe(true);
    expect(forms.some((form) => undecrypted.includes(form))).toBe(false);
  });
});
