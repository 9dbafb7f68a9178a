import { createHmac, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { serveHints, HINTS_PER_SECOND, type HintOptions, type HintOutcome } from '../../../worker/hints';
import { toListenError } from '../../../worker/probes';
import { ownPort } from '../../support/own-port';
import { until } from '../../support/wait';

// A79 is a rule of the contract (docs/contract.md).

// A hint is a request to the worker that says that a session has changed. The worker believes nothing in it but the session's id.
const SECRET = 'a-secret-of-the-shop';
const ID = '3f3ff2a1-95a0-4cf1-8bbd-3ad7a1d3a2a1';

let taken: string[];
let outcomes: HintOutcome[];
let failures: unknown[];
let port: number;
let close: () => Promise<void>;
/** False if the queue of refreshes is full. */
let hasRoom: boolean;

beforeEach(async () => {
  [taken, outcomes, failures, hasRoom] = [[], [], [], true];
  close = () => Promise.resolve();
  port = await ownPort();
});

afterEach(() => close());

async function serve(options: Omit<HintOptions, 'port'>): Promise<void> {
  const server = await serveHints(
    { port, ...options },
    {
      refreshes: {
        take: (ids) => {
          taken.push(...ids);
          return hasRoom;
        },
        stop: () => undefined,
      },
      onHint: (outcome) => outcomes.push(outcome),
      onCheckFailed: (error) => failures.push(error),
    },
  );
  close = () => server.close();
}

const BEARER = { authorization: `Bearer ${SECRET}` };

const post = (body: string | Buffer, headers: Record<string, string> = BEARER): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}/hints`, { method: 'POST', body, headers });

describe('a hint of the payment service', () => {
  beforeEach(() => serve({ secret: SECRET }));

  test.each([
    ['JSON', 'application/json', JSON.stringify({ data: { object: { id: ID } }, paid: true })],
    ['a form', 'application/x-www-form-urlencoded', `event=paid&sessionId=${ID}`],
    ['XML', 'text/xml; charset=latin1', `<session id="${ID}" status="Completed"/>`],
    ['malformed JSON', 'application/json', `{"sessionId": "${ID}`],
    ['text of an invalid content type', 'nonsense;;', ID.toUpperCase()],
    ['bytes', 'application/octet-stream', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(ID)])],
  ])('A79 may contain a session id in %s', async (_name, contentType, body) => {
    const answer = await post(body, { ...BEARER, 'content-type': contentType });
    expect([answer.status, taken, outcomes]).toEqual([202, [ID], ['taken']]);
  });

  test('counts for at most ten sessions, and once for each', async () => {
    const ids = Array.from({ length: 20 }, () => randomUUID());
    await post(JSON.stringify([ID, ID.toUpperCase(), ...ids]));
    expect(taken).toEqual([ID, ...ids.slice(0, 9)]);
  });

  test.each(['', 'garbage', '{}', '{"sessionId":"order-1"}', ID.slice(1)])(
    'without a session id, such as %j, is also answered with 202, and has no effect',
    async (body) => {
      const answer = await post(body);
      expect([answer.status, await answer.text()]).toEqual([202, '']);
      expect([taken, outcomes]).toEqual([[], ['empty']]);
    },
  );

  test('is also answered with 202 if the queue of refreshes is full', async () => {
    hasRoom = false;
    const answer = await post(ID);
    expect([answer.status, await answer.text(), outcomes]).toEqual([202, '', ['limited']]);
  });

  test('that is too large is refused', async () => {
    expect((await post(`${ID}${' '.repeat(64 * 1024)}`)).status).toBe(413);
    expect(taken).toEqual([]);
  });

  test('is refused with another method or path', async () => {
    const got = await fetch(`http://127.0.0.1:${port}/hints`, { headers: BEARER });
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
    const elsewhere = await fetch(`http://127.0.0.1:${port}/${ID}`, { method: 'POST', headers: BEARER });
    expect([elsewhere.status, taken]).toEqual([404, []]);
  });

  test('is refused with 429 beyond the rate limit, until the next second', async () => {
    const nowMs = performance.now() + 2_000;
    const clock = jest.spyOn(performance, 'now').mockReturnValue(nowMs);
    const flood = () => Promise.all(Array.from({ length: HINTS_PER_SECOND }, () => post(ID)));
    expect(new Set((await flood()).map(({ status }) => status))).toEqual(new Set([202]));
    const limited = await post(ID);
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '1']);
    expect(outcomes.filter((outcome) => outcome === 'limited')).toHaveLength(1);
    clock.mockReturnValue(nowMs + 1_000);
    expect((await post(ID)).status).toBe(202);
    clock.mockRestore();
  });
});

describe('the secret of a hint', () => {
  beforeEach(() => serve({ secret: SECRET }));

  test.each([
    ['as a bearer token', `Bearer ${SECRET}`],
    ['as the password of Basic authentication', `Basic ${Buffer.from(`hints:${SECRET}`).toString('base64')}`],
  ])('is accepted %s', async (_name, authorization) => {
    expect((await post(ID, { authorization })).status).toBe(202);
  });

  test.each([
    ['missing', {}],
    ['wrong', { authorization: 'Bearer a-secret-of-another' }],
    ['incomplete', { authorization: `Bearer ${SECRET.slice(0, -1)}` }],
    ['empty', { authorization: 'Bearer ' }],
    ['in another scheme', { authorization: `Digest ${SECRET}` }],
  ])('that is %s is refused', async (_name, headers) => {
    const answer = await post(ID, headers);
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="paysession"',
    ]);
    expect([taken, outcomes]).toEqual([[], ['refused']]);
  });

  test('is checked before the body and the rate limit, so that a hint without the secret does not count', async () => {
    const wrong = await Promise.all(
      Array.from({ length: HINTS_PER_SECOND + 50 }, () => post('x'.repeat(100), {})),
    );
    expect(new Set(wrong.map(({ status }) => status))).toEqual(new Set([401]));
    expect((await post(ID)).status).toBe(202);
  });
});

describe('the option `check`, a program’s own check of hints', () => {
  const signed = (body: string) => createHmac('sha256', 'key').update(body).digest('hex');

  test('gets the headers and the bytes of the body', async () => {
    await serve({
      check: ({ headers, body }) =>
        headers['content-type'] === 'text/xml' && headers['x-signature'] === signed(body.toString('utf8')),
    });
    const headers = { 'content-type': 'text/xml', 'x-signature': signed(ID) };
    expect((await post(ID, headers)).status).toBe(202);
    expect((await post(`${ID} `, headers)).status).toBe(401);
    expect([taken, outcomes]).toEqual([[ID], ['taken', 'refused']]);
  });

  test('refuses the hint if it fails, and the failure is reported', async () => {
    await serve({ check: () => Promise.reject(new Error('no key')) });
    expect((await post(ID)).status).toBe(401);
    expect([taken, failures]).toEqual([[], [new Error('no key')]]);
  });

  test('is needed in addition to the secret if both are set', async () => {
    await serve({ secret: SECRET, check: ({ headers }) => headers['x-signature'] === 'good' });
    expect((await post(ID)).status).toBe(401);
    expect((await post(ID, { 'x-signature': 'good' })).status).toBe(401);
    expect((await post(ID, { ...BEARER, 'x-signature': 'good' })).status).toBe(202);
  });

  test('runs for at most fifty hints at a time: more hints are answered 429', async () => {
    let end: (isGood: boolean) => void = () => undefined;
    const checked = new Promise<boolean>((resolve) => {
      end = resolve;
    });
    await serve({ check: () => checked });
    const answers: number[] = [];
    const hints = Array.from({ length: 60 }, async () => answers.push((await post(ID)).status));
    await until(
      () => Promise.resolve(answers),
      ({ length }) => length >= 10,
    );
    expect(new Set(answers)).toEqual(new Set([429]));
    end(true);
    await Promise.all(hints);
    expect(answers.slice(10)).toEqual(Array.from({ length: 50 }, () => 202));
  });
});

describe('the endpoint for hints', () => {
  test('needs a secret or a check', async () => {
    await expect(serve({})).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
      message: expect.stringContaining('needs a secret or a check'),
    });
  });

  test('refuses a weak secret, and the error does not repeat the secret', async () => {
    const refused = serve({ secret: 'hunter2' });
    await expect(refused).rejects.toMatchObject({ code: 'INVALID_SETTINGS' });
    await expect(refused).rejects.not.toMatchObject({ message: expect.stringContaining('hunter2') });
  });

  test('fails if the port is in use, and the error names the setting of the port', async () => {
    await serve({ secret: SECRET });
    await expect(serve({ secret: SECRET })).rejects.toMatchObject({
      code: 'PORT_IN_USE',
      message: expect.stringContaining('PAYSESSION_HINT_PORT'),
    });
  });

  test('fails if this user may not listen on the port, and the error names the setting of the port', () => {
    const denied = Object.assign(new Error('permission denied'), { code: 'EACCES' });
    const settings = { port: 'PAYSESSION_HINT_PORT', host: 'PAYSESSION_HINT_HOST' } as const;
    expect(toListenError(denied, 80, settings)).toMatchObject({
      code: 'INVALID_SETTINGS',
      message: expect.stringMatching(/may not listen on port 80.*PAYSESSION_HINT_PORT/),
    });
  });

  test('fails if the address belongs to another machine, and the error names the setting of the address', async () => {
    await expect(serve({ secret: SECRET, host: '192.0.2.1' })).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
      message: expect.stringContaining('PAYSESSION_HINT_HOST'),
    });
  });
});
