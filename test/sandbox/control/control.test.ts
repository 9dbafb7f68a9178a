import { request } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createSandbox, DEFAULT_CLIENT, type SandboxOptions } from '../../../sandbox';
import { CONTROL_ROUTES } from '../../../sandbox/control/routes';
import { bearer, eft, expectProblem, JSON_TYPE, Service, startService, type Answer } from '../support';

/** The control port of a service, as another process meets it. */
class Control {
  readonly #service: Service;

  constructor(
    readonly service: Service,
    readonly url: string,
  ) {
    this.#service = new Service({ ...service.sandbox, url }, service.clock);
  }

  get(path: string): Promise<Answer> {
    return this.#service.send(path);
  }

  post(path: string, body: unknown, headers: Readonly<Record<string, string>> = JSON_TYPE): Promise<Answer> {
    return this.#service.send(path, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  delete(path: string): Promise<Answer> {
    return this.#service.send(path, { method: 'DELETE' });
  }
}

async function startControl(options: SandboxOptions = {}): Promise<Control> {
  const service = await startService(options);
  const { url } = await service.sandbox.listenControl();
  return new Control(service, url);
}

describe('the control port', () => {
  test('is another one, of this machine only, and is closed with the sandbox', async () => {
    const control = await startControl();
    expect(control.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(control.url).not.toBe(control.service.sandbox.url);
    expectProblem(await control.service.send('/clock'), 404);
    await control.service.sandbox.close();
    await expect(control.get('/clock')).rejects.toThrow('fetch failed');
  });

  test('opens once, on a free port, and only while the sandbox listens', async () => {
    await expect(createSandbox().listenControl()).rejects.toThrow('listen() first');
    const { service } = await startControl();
    await expect(service.sandbox.listenControl()).rejects.toThrow('open already');
    const other = await startService();
    const port = Number(new URL(service.sandbox.url).port);
    await expect(other.sandbox.listenControl({ port })).rejects.toMatchObject({ code: 'PORT_IN_USE' });
    await other.sandbox.listenControl();
  });

  test('lists what it answers to', async () => {
    const control = await startControl();
    expect((await control.get('/')).body['routes']).toEqual(Object.values(CONTROL_ROUTES));
    expectProblem(await control.get('/nowhere'), 404);
    const answer = await control.delete('/clock');
    expectProblem(answer, 405);
    expect(answer.headers['allow']).toBe('GET, HEAD');
  });

  test.each([
    ['origin', 'https://evil.example'],
    ['origin', 'null'],
    ['origin', 'http://127.0.0.1'],
    ['sec-fetch-site', 'cross-site'],
    ['sec-fetch-site', 'same-origin'],
    ['host', 'evil.example'],
    ['host', '127.0.0.1.evil.example'],
  ])('refuses a web page: %s %j', async (name, value) => {
    const control = await startControl();
    expect(await statusWith(control.url, { [name]: value })).toBe(403);
    expect(control.service.sandbox.calls).toEqual([]);
  });

  test.each([
    ['host', 'localhost'],
    ['host', 'LOCALHOST:4011'],
    ['host', '[::1]:4011'],
    ['sec-fetch-site', 'none'],
  ])('takes %s %s', async (name, value) => {
    expect(await statusWith((await startControl()).url, { [name]: value })).toBe(200);
  });

  test('takes JSON only, and lists everything that is wrong with it', async () => {
    const control = await startControl();
    expectProblem(await control.post('/holds', {}, { 'content-type': 'text/plain' }), 415);
    const wrong = { route: 'pay', times: 0, fault: { kind: 'reset', phase: 'between' }, extra: 1 };
    const errors = expectProblem(await control.post('/faults', wrong), 400);
    expect(Object.keys(errors).sort()).toEqual(['fault.phase', 'request', 'route', 'times']);
  });
});

describe('faults by HTTP', () => {
  test('come as often as told, are listed until then, and can be taken back', async () => {
    const control = await startControl();
    const fault = { kind: 'status', status: 503, retryAfter: '7', phase: 'before' };
    const armed = await control.post('/faults', { route: 'authorize', times: 3, fault });
    expect(armed.status).toBe(201);
    const listed = { route: 'authorize', phase: 'before', fault };
    expect(armed.body['faults']).toEqual([listed, listed, listed]);
    const failed = await control.service.authorize();
    expectProblem(failed, 503);
    expect(failed.headers['retry-after']).toBe('7');
    expect((await control.get('/faults')).body['faults']).toEqual([listed, listed]);
    expect((await control.delete('/faults')).body).toEqual({ faults: [] });
    expect((await control.service.authorize()).status).toBe(200);
  });

  test('reset the connection after the call was processed', async () => {
    const control = await startControl();
    await control.post('/faults', { route: 'create', fault: { kind: 'reset', phase: 'after' } });
    await expect(control.service.create(eft())).rejects.toThrow('fetch failed');
    const { calls } = (await control.get('/calls')).body as { calls: Record<string, unknown>[] };
    expect(calls.at(-1)).toMatchObject({ route: 'create', sessionId: expect.any(String) });
  });

  test('are bounded in number', async () => {
    const control = await startControl();
    const many = { route: 'cancel', times: 1_000, fault: { kind: 'hang', phase: 'before' } };
    for (let count = 0; count < 10; count += 1)
      expect((await control.post('/faults', many)).status).toBe(201);
    expectProblem(await control.post('/faults', { ...many, times: 1 }), 409);
  });
});

describe('holds by HTTP', () => {
  test('a call waits until its hold is released', async () => {
    const control = await startControl();
    const { status, body } = await control.post('/holds', { route: 'authorize', phase: 'before' });
    const holdId = String(body['holdId']);
    expect([status, body]).toEqual([201, { holdId, route: 'authorize', phase: 'before', state: 'armed' }]);
    const reached = control.get(`/holds/${holdId}?waitMs=60000`);
    const call = control.service.authorize();
    expect((await reached).body['state']).toBe('reached');
    expect((await control.get('/holds')).body['holds']).toEqual([{ ...body, state: 'reached' }]);
    expect((await control.delete(`/holds/${holdId}`)).status).toBe(204);
    expect((await call).status).toBe(200);
    expectProblem(await control.get(`/holds/${holdId}`), 404);
  });

  test('one that is released before a call comes holds none, nor uses up the next one', async () => {
    const control = await startControl();
    const add = async () => {
      const { body } = await control.post('/holds', { route: 'authorize', phase: 'before' });
      return String(body['holdId']);
    };
    await control.delete(`/holds/${await add()}`);
    const holdId = await add();
    const call = control.service.authorize();
    expect((await control.get(`/holds/${holdId}?waitMs=60000`)).body['state']).toBe('reached');
    await control.delete(`/holds/${holdId}`);
    expect((await call).status).toBe(200);
  });

  test('a wait that is over tells that no call has come', async () => {
    const control = await startControl();
    const { body } = await control.post('/holds', { route: 'cancel', phase: 'after' });
    expect((await control.get(`/holds/${String(body['holdId'])}?waitMs=1`)).body['state']).toBe('armed');
    expectProblem(await control.get(`/holds/${String(body['holdId'])}?waitMs=60001`), 400);
  });
});

describe('the clock by HTTP', () => {
  test('A57 goes on from where it was moved', async () => {
    const control = await startControl();
    const sessionId = await control.service.open(eft());
    expect((await control.get('/clock')).body).toEqual({ now: '2026-01-01T00:00:00.000Z', offsetMs: 0 });
    const moved = await control.post('/clock/advance', { byMs: 899_999 });
    expect(moved.body).toEqual({ now: '2026-01-01T00:14:59.999Z', offsetMs: 899_999 });
    expect((await control.service.status(sessionId)).body['status']).toBe('Initiated');
    control.service.clock.advance(1);
    expect((await control.get('/clock')).body['now']).toBe('2026-01-01T00:15:00.000Z');
    expect((await control.service.status(sessionId)).body['statusDetails']).toBe('EFT0601');
  });

  test.each([0, -1, 1.5, '1000', 1e15])('%j is no duration', async (byMs) => {
    expectProblem(await (await startControl()).post('/clock/advance', { byMs }), 400);
  });

  test('ends a hundred years ahead', async () => {
    const control = await startControl();
    const tenYears = { byMs: 10 * 365 * 86_400_000 };
    for (let count = 0; count < 10; count += 1)
      expect((await control.post('/clock/advance', tenYears)).status).toBe(200);
    expectProblem(await control.post('/clock/advance', { byMs: 1 }), 409);
  });

  test('stays ahead over a restart of a sandbox with a data folder', async () => {
    const parent = mkdtempSync(join(tmpdir(), 'paysession-control-'));
    try {
      const dataDir = join(parent, 'data');
      const first = await startControl({ dataDir });
      await first.post('/clock/advance', { byMs: 5_000 });
      await first.service.sandbox.close();
      const second = await startControl({ dataDir });
      expect((await second.get('/clock')).body['offsetMs']).toBe(5_000);
      await second.service.sandbox.close();
    } finally {
      rmSync(parent, { recursive: true });
    }
  });
});

describe('sessions, calls and tokens by HTTP', () => {
  test('A56 plays the payor', async () => {
    const control = await startControl();
    const sessionId = await control.service.open(eft().without('amount'));
    const events = `/sessions/${sessionId}/events`;
    expectProblem(await control.post(events, { type: 'completed' }), 409);
    expect((await control.post(events, { type: 'amountEntered', amount: 30 })).body['amount']).toBe(30);
    expect((await control.post(events, { type: 'bankValidated' })).body['statusDetails']).toBe('EFT0302');
    expect((await control.post(events, { type: 'padSigned' })).body['statusDetails']).toBe('EFT0301');
    expectProblem(await control.post(events, { type: 'expired' }), 409);
    expect((await control.get(`/sessions/${sessionId}`)).body).toMatchObject({ amount: 30, step: 'Ended' });
  });

  test('A36 shows no account in full', async () => {
    const control = await startControl();
    const sessionId = await control.service.open(eft());
    const account = { accountNumber: '1234567', transitNumber: '00011', institutionCode: '002' };
    await control.post(`/sessions/${sessionId}/events`, { type: 'accountChosen', account });
    const answer = await control.get(`/sessions/${sessionId}`);
    expect(answer.text).toContain('****4567');
    expect(answer.text).not.toContain('1234567');
  });

  test('A53 an unknown session and an unknown event are told', async () => {
    const control = await startControl();
    expectProblem(await control.get('/sessions/none'), 404);
    expectProblem(await control.post('/sessions/none/events', { type: 'completed' }), 404);
    const errors = expectProblem(await control.post('/sessions/none/events', { type: 'paid' }), 400);
    expect(Object.keys(errors)).toEqual(['type']);
  });

  test('the calls of all or of one session, without body, token or secret; not those of the control port', async () => {
    const control = await startControl();
    const token = await control.service.token();
    const sessionId = await control.service.open(eft());
    const { text, body } = await control.get('/calls');
    expect(body['calls']).toEqual(control.service.sandbox.calls);
    for (const secret of [token, DEFAULT_CLIENT.clientSecret, 'Tremblay']) expect(text).not.toContain(secret);
    const ofOne = await control.get(`/calls?sessionId=${sessionId}`);
    expect(ofOne.body['calls']).toEqual([expect.objectContaining({ route: 'create', sessionId })]);
  });

  test('A4 revokes tokens', async () => {
    const control = await startControl();
    const headers = { ...bearer(await control.service.token()), ...JSON_TYPE };
    expect((await control.delete('/tokens')).status).toBe(204);
    expectProblem(await control.service.create(eft(), { headers }), 401);
  });
});

/** The status of a GET with exactly this header; `fetch` would not send some of them. */
function statusWith(url: string, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const call = request(`${url}/clock`, { headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.on('error', reject);
    call.end();
  });
}
