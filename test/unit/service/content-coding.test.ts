import { createServer as createTcpServer } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, type InputType } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import { eft } from '../../support/requests';
import {
  cleanUp,
  client,
  created,
  json,
  judged,
  listen,
  localService,
  SESSION_ID,
  type Behaviour,
} from '../../support/service/local-service';

// A75 is a rule of the contract (docs/contract.md).

afterEach(cleanUp);

type Compress = (bytes: InputType) => Buffer;

const CODINGS: [coding: string, compress: Compress][] = [
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['GZip', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
  ['gzip, br', (bytes) => brotliCompressSync(gzipSync(bytes))],
  ['identity', (bytes) => Buffer.from(bytes as Buffer)],
  ['', (bytes) => Buffer.from(bytes as Buffer)],
];

/** Answers in a content coding, although the client does not ask for one. */
const coded =
  (coding: string, body: Buffer, status = 200, more: Readonly<Record<string, string>> = {}): Behaviour =>
  (response) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': coding, ...more };
    response.writeHead(status, headers).end(body);
  };

const bytesOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const EXPIRED = { sessionId: SESSION_ID, status: 'Expired' };

describe('the client of the payment service', () => {
  test('A75 asks for an answer without a content coding in every call', async () => {
    const service = await localService({
      '/sessions': created,
      '/details': coded('', bytesOf(EXPIRED)),
      '/cancel': coded('', bytesOf(EXPIRED)),
    });
    const payments = client(service.baseUrl);
    await payments.createSession(eft());
    await payments.sessionDetails(SESSION_ID);
    await payments.cancelSession(SESSION_ID);
    const accepted = service.received.map(({ headers }) => headers['accept-encoding']);
    expect(accepted).toEqual(['identity', 'identity', 'identity', 'identity']);
  });
});

describe.each(CODINGS)('an unrequested answer in the content coding %p', (coding, compress) => {
  test('is read after a token, create, details or cancel request', async () => {
    const service = await localService({
      '/authorize': coded(coding, compress(bytesOf({ access_token: 'token-1', expires_in: 599 }))),
      '/sessions': coded(coding, compress(bytesOf({ sessionId: SESSION_ID, referenceId: 'order-7' })), 201),
      '/details': coded(coding, compress(bytesOf(EXPIRED))),
      '/cancel': coded(coding, compress(bytesOf(EXPIRED))),
    });
    const payments = client(service.baseUrl);
    expect(judged(await payments.createSession(eft('order-7')))).toEqual(['created']);
    const expired = { status: 'Expired' };
    await expect(payments.sessionDetails(SESSION_ID)).resolves.toEqual(expired);
    await expect(payments.cancelSession(SESSION_ID)).resolves.toEqual(expired);
  });

  test('keeps the problem details of a refusal', async () => {
    const problem = compress(bytesOf({ detail: 'city is missing' }));
    const service = await localService({ '/sessions': coded(coding, problem, 400) });
    expect(await client(service.baseUrl).createSession(eft())).toMatchObject({
      outcome: 'rejected',
      failure: { problem: { detail: 'city is missing' } },
    });
  });
});

describe('an answer in a content coding', () => {
  const failed = async (behaviour: Behaviour, maxResponseBytes = 262_144): Promise<unknown> => {
    const service = await localService({ '/details': behaviour });
    return await client(service.baseUrl, { maxResponseBytes })
      .sessionDetails(SESSION_ID)
      .catch((error: unknown) => error);
  };

  test.each(CODINGS.slice(0, 7))(
    '%p is too large if its decoded text exceeds the limit',
    async (coding, compress) => {
      const bomb = compress(Buffer.alloc(20_000_000, ' '));
      expect(await failed(coded(coding, bomb))).toMatchObject({
        code: 'SERVICE_UNREADABLE',
        message: expect.stringContaining('its body is too large'),
      });
    },
  );

  test('is read if its decoded text has exactly the maximum length', async () => {
    const text = bytesOf({ ...EXPIRED, padding: ' '.repeat(1_000) });
    expect(await failed(coded('gzip', gzipSync(text)), text.length)).toEqual({ status: 'Expired' });
  });

  test.each(['zstd', 'compress', 'dcb'])(
    '%p, which the client cannot decode, fails, and the error names the coding',
    async (coding) => {
      expect(await failed(coded(coding, Buffer.from([0x28, 0xb5, 0x2f, 0xfd])))).toMatchObject({
        code: 'SERVICE_UNREADABLE',
        message: expect.stringContaining(`its body is in the content coding ${coding}`),
      });
    },
  );

  test.each(['client-secret-1', 'constructor', '__proto__'])(
    'with the unknown name %p fails, and the error does not repeat the name',
    async (coding) => {
      expect(await failed(coded(coding, Buffer.from('x')))).toMatchObject({
        code: 'SERVICE_UNREADABLE',
        message: expect.stringContaining('its body is in an unknown content coding'),
      });
    },
  );

  test.each([
    ['is cut off', gzipSync(bytesOf(EXPIRED)).subarray(0, 20)],
    ['is not in the announced coding', Buffer.from([0x1f, 0x8b, 1, 2, 3])],
  ])('that %s fails, and the error names the coding', async (_what, bytes) => {
    expect(await failed(coded('gzip', bytes))).toMatchObject({
      code: 'SERVICE_UNREADABLE',
      message: expect.stringContaining('its body is in the content coding gzip'),
    });
  });

  test('applied a hundred times is not decoded', async () => {
    const many = Array.from({ length: 100 }, () => 'gzip').join(', ');
    expect(await failed(coded(many, gzipSync(bytesOf(EXPIRED))))).toMatchObject({
      code: 'SERVICE_UNREADABLE',
    });
  });

  test('is read if a gateway has decoded the body, but has kept the header', async () => {
    expect(await failed(coded('gzip', bytesOf(EXPIRED)))).toEqual({ status: 'Expired' });
  });

  test('counts as an answer without a body if its body is empty', async () => {
    const service = await localService({ '/sessions': coded('gzip', Buffer.alloc(0), 400) });
    expect(judged(await client(service.baseUrl).createSession(eft()))).toEqual([
      'rejected',
      'SERVICE_REQUEST_REJECTED',
    ]);
  });

  test('has its secrets redacted', async () => {
    const problem = gzipSync(bytesOf({ detail: 'the token token-1-is-secret is old' }));
    const service = await localService({
      '/authorize': coded('', bytesOf({ access_token: 'token-1-is-secret' })),
      '/sessions': coded('gzip', problem, 400),
    });
    const outcome = await client(service.baseUrl).createSession(eft());
    expect(JSON.stringify(outcome)).toContain('[redacted]');
    expect(JSON.stringify(outcome)).not.toContain('token-1-is-secret');
  });
});

describe('the client reads an answer of the payment service', () => {
  const read = async (behaviour: Behaviour) => {
    const service = await localService({ '/sessions': behaviour });
    return judged(await client(service.baseUrl).createSession(eft('Été-1')));
  };
  const body = JSON.stringify({ sessionId: SESSION_ID, referenceId: 'Été-1' });
  const typed =
    (type: string | undefined, bytes: Buffer): Behaviour =>
    (response) => {
      response.writeHead(201, type === undefined ? {} : { 'content-type': type }).end(bytes);
    };
  const utf16 = Buffer.from(body, 'utf16le');

  test.each<[what: string, type: string | undefined, bytes: Buffer]>([
    ['without a content type', undefined, Buffer.from(body)],
    ['as text/html', 'text/html', Buffer.from(body)],
    ['as application/problem+json', 'application/problem+json', Buffer.from(body)],
    ['as application/vnd.bank.v2+json', 'application/vnd.bank.v2+json; version=2', Buffer.from(body)],
    [
      'after a byte order mark',
      'application/json',
      Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(body)]),
    ],
    [
      'in the charset of its content type',
      'application/json; charset=ISO-8859-1',
      Buffer.from(body, 'latin1'),
    ],
    ['in a charset in quotes', 'application/json; charset="windows-1252"', Buffer.from(body, 'latin1')],
    [
      'in UTF-16 with the charset utf-16',
      'application/json; charset=utf-16',
      Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]),
    ],
    [
      'in UTF-8, even if its content type has another charset',
      'application/json; charset=ISO-8859-1',
      Buffer.from(body),
    ],
    [
      'in UTF-8, even if its content type has an unknown charset',
      'application/json; charset=utf8mb4',
      Buffer.from(body),
    ],
  ])('%s', async (_what, type, bytes) => {
    expect(await read(typed(type, bytes))).toEqual(['created']);
  });

  test('after interim answers, in chunks, with trailers', async () => {
    const service = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (bytes: Buffer) => {
        const isToken = bytes.includes('/authorize');
        const text = isToken ? '{"access_token":"token-1"}' : body;
        const length = Buffer.byteLength(text).toString(16);
        socket.write('HTTP/1.1 103 Early Hints\r\nlink: </app>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n');
        socket.write('HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\ntrailer: digest\r\n\r\n');
        socket.write(`${length}\r\n${text}\r\n0\r\ndigest: sha-256=abc\r\n\r\n`);
      });
    });
    const payments = client(await listen(service));
    expect(judged(await payments.createSession(eft('Été-1')))).toEqual(['created']);
  });

  test('as unreadable if it is a success without a body', async () => {
    const service = await localService({
      '/cancel': (response) => void response.writeHead(204).end(),
      '/details': (response) => {
        json(response, 200, EXPIRED);
      },
    });
    await expect(client(service.baseUrl).cancelSession(SESSION_ID)).rejects.toMatchObject({
      code: 'SERVICE_UNREADABLE',
    });
  });
});

test('if the answer to a token request cannot be decoded, the message of the failure names the content coding', async () => {
  const service = await localService({
    '/authorize': coded('zstd', Buffer.from([0x28])),
    '/sessions': created,
  });
  const outcome = await client(service.baseUrl).createSession(eft());
  expect(outcome).toMatchObject({
    outcome: 'notSent',
    failure: { message: expect.stringContaining('content coding zstd') },
  });
});
