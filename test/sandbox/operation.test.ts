import { describe, expect, test } from '@jest/globals';
import { createSandbox, DEFAULT_CLIENT, manualClock } from '../../sandbox';
import { bearer, eft, expectProblem, JSON_TYPE, startService } from './support';

describe('listening', () => {
  test('sessions and tokens outlast an outage, on the same port', async () => {
    const service = await startService();
    const token = await service.token();
    const sessionId = await service.open(eft());
    const { port, href } = new URL(service.sandbox.url);
    await service.sandbox.close();
    await expect(service.status(sessionId)).rejects.toThrow('fetch failed');
    const again = await service.sandbox.listen({ port: Number(port) });
    expect(new URL(again.url).href).toBe(href);
    const details = await service.send(`/api/v2/sessions/${sessionId}/details`, { headers: bearer(token) });
    expect(details.body['status']).toBe('Initiated');
  });

  test('a scenario goes on during an outage', async () => {
    const service = await startService();
    const sessionId = await service.open(eft('sandbox-completes'));
    await service.sandbox.close();
    service.clock.advance(2_000);
    expect(service.sandbox.session(sessionId)?.state.status).toBe('Completed');
  });

  test('an action is planned for its time, among those of the scenario', async () => {
    const service = await startService();
    const sessionId = await service.open(eft('sandbox-awaits-signature'));
    const { sandbox, clock } = service;
    expect(sandbox.actAt(sessionId, clock.now() + 5_000, 'padSigned')).toBe(true);
    expect(sandbox.actAt(sessionId, clock.now() + 1_500, 'touched')).toBe(true);
    clock.advance(4_999);
    expect(sandbox.session(sessionId)?.state.code).toBe('EFT0302');
    clock.advance(1);
    expect(sandbox.session(sessionId)?.state.code).toBe('EFT0301');
    expect(sandbox.actAt('unknown', clock.now(), 'padSigned')).toBe(false);
  });

  test('a port in use is told by its number', async () => {
    const service = await startService();
    const port = Number(new URL(service.sandbox.url).port);
    await expect(createSandbox().listen({ port })).rejects.toMatchObject({
      code: 'PORT_IN_USE',
      message: expect.stringMatching(new RegExp(`Port ${port} is in use.*Choose another port`)),
    });
  });

  test('it has no address before it listens, and listens once', async () => {
    expect(() => createSandbox().url).toThrow('listen');
    const service = await startService();
    await expect(service.sandbox.listen()).rejects.toThrow('listens already');
  });

  test('close drops calls that are still being answered', async () => {
    const service = await startService();
    const hold = service.sandbox.hold('authorize', 'before');
    const call = expect(service.authorize()).rejects.toThrow('fetch failed');
    await hold.reached;
    await service.sandbox.close();
    await call;
    hold.release();
  });

  test('it tells that it is alive', async () => {
    const { status, body } = await (await startService()).send('/healthz');
    expect([status, body]).toEqual([200, { status: 'ok' }]);
  });
});

describe('what it remembers of calls', () => {
  test('method, route, status, session and time, from the oldest to the newest', async () => {
    const service = await startService();
    const sessionId = await service.open(eft());
    await service.details(sessionId);
    await service.send('/nowhere?secret');
    const at = '2026-01-01T00:00:00.000Z';
    expect(service.sandbox.calls).toEqual([
      { method: 'POST', route: 'authorize', status: 200, at },
      { method: 'POST', route: 'create', status: 201, sessionId, at },
      { method: 'POST', route: 'authorize', status: 200, at },
      { method: 'GET', route: 'details', status: 200, sessionId, at },
      { method: 'GET', route: 'unknown', status: 404, at },
    ]);
  });

  test('no more than maxCalls', async () => {
    const service = await startService({ maxCalls: 1 });
    await service.open(eft());
    expect(service.sandbox.calls.map(({ route }) => route)).toEqual(['create']);
  });

  test('one log line a call, without body, query, token or secret', async () => {
    const lines: string[] = [];
    const service = await startService({ log: (line) => lines.push(line) });
    const token = await service.token();
    await service.create(eft(), { headers: { ...bearer(token), ...JSON_TYPE } });
    await service.send('/app/?sessionId=secret-session');
    await service.sandbox.close();
    const line = (call: string) =>
      expect.stringMatching(new RegExp(`^2026-01-01T00:00:00.000Z ${call} \\d+ms$`));
    expect(lines).toEqual([
      line('POST /api/v1/authorize 200'),
      line('POST /api/v2/sessions 201'),
      line('GET /app/ 404'),
    ]);
    for (const secret of [token, DEFAULT_CLIENT.clientSecret, 'secret-session', 'Tremblay']) {
      expect(lines.join()).not.toContain(secret);
    }
  });
});

describe('holds', () => {
  test('before: the call is not processed until it is released', async () => {
    const service = await startService();
    const hold = service.sandbox.hold('create', 'before');
    const creating = service.create(eft());
    await hold.reached;
    await service.send('/healthz');
    service.sandbox.revokeTokens();
    hold.release();
    expectProblem(await creating, 401);
  });

  test('after: the call is processed, and its answer waits', async () => {
    const service = await startService();
    const sessionId = await service.open(eft());
    const hold = service.sandbox.hold('details', 'after');
    const reading = service.details(sessionId);
    await hold.reached;
    await service.cancel(sessionId);
    expect(service.sandbox.calls.filter(({ route }) => route === 'details')).toEqual([
      expect.not.objectContaining({ status: 200 }),
    ]);
    hold.release();
    expect((await reading).body['status']).toBe('Initiated');
  });

  test('one hold stops one call, and none when it is released beforehand', async () => {
    const service = await startService();
    service.sandbox.hold('authorize', 'before').release();
    const hold = service.sandbox.hold('authorize', 'before');
    await service.token();
    const held = service.token();
    await hold.reached;
    await service.token();
    hold.release();
    expect(await held).not.toBe('');
  });
});

describe('faults', () => {
  test('a status, so many times, with Retry-After', async () => {
    const service = await startService();
    service.sandbox.failNext('authorize', { kind: 'status', status: 503, retryAfter: '7' }, 2);
    for (let count = 0; count < 2; count += 1) {
      const answer = await service.authorize();
      expectProblem(answer, 503);
      expect(answer.headers['retry-after']).toBe('7');
    }
    expect((await service.authorize()).status).toBe(200);
  });

  test.each([-1, 1.5, 1_001, Infinity])('not %p times', async (times) => {
    const service = await startService();
    expect(() => {
      service.sandbox.failNext('authorize', { kind: 'reset', phase: 'before' }, times);
    }).toThrow(RangeError);
    expect((await service.authorize()).status).toBe(200);
  });

  test('a status instead of the answer to a create that was processed, with a body of its own', async () => {
    const service = await startService();
    service.sandbox.failNext('create', { kind: 'status', status: 502, phase: 'after', body: '<h1>Bad' });
    const { status, headers, text } = await service.create(eft());
    expect([status, headers['content-type'], text]).toEqual([502, 'text/html', '<h1>Bad']);
    const created = service.sandbox.calls.at(-1);
    expect(created).toMatchObject({ route: 'create', status: 502 });
    expect(service.sandbox.session(created?.sessionId ?? '')?.state.status).toBe('Initiated');
  });

  test.each([
    ['before', false],
    ['after', true],
  ] as const)('a reset %s the call is processed', async (phase, processed) => {
    const service = await startService();
    service.sandbox.failNext('create', { kind: 'reset', phase });
    await expect(service.create(eft())).rejects.toThrow('fetch failed');
    expect(service.sandbox.calls.at(-1)?.sessionId !== undefined).toBe(processed);
    expect(service.sandbox.calls.at(-1)).not.toHaveProperty('status');
    expect((await service.create(eft())).status).toBe(201);
  });

  test('each takes one call, in the order in which they were set', async () => {
    const service = await startService();
    service.sandbox.failNext('create', { kind: 'status', status: 500 });
    service.sandbox.failNext('create', { kind: 'status', status: 502, phase: 'after' });
    service.sandbox.failNext('create', { kind: 'status', status: 503 });
    const statuses: number[] = [];
    for (let count = 0; count < 4; count += 1) statuses.push((await service.create(eft())).status);
    expect(statuses).toEqual([500, 502, 503, 201]);
  });

  test('an answer that never comes, until the caller gives up', async () => {
    const service = await startService();
    service.sandbox.failNext('authorize', { kind: 'hang', phase: 'before' });
    const hold = service.sandbox.hold('authorize', 'before');
    const patience = new AbortController();
    const call = expect(service.authorize({ signal: patience.signal })).rejects.toThrow('aborted');
    await hold.reached;
    hold.release();
    expect((await service.authorize()).status).toBe(200);
    patience.abort();
    await call;
    expect(service.sandbox.calls[0]).not.toHaveProperty('status');
  });
});

describe('the manual clock', () => {
  test('moves only when it is told to', () => {
    const clock = manualClock(5);
    clock.advance(10);
    expect(clock.now()).toBe(15);
  });
});

test('A73 the earlier generation of endpoints is not there', async () => {
  const service = await startService();
  const headers = { ...bearer(await service.token()), ...JSON_TYPE };
  const answer = await service.send('/api/v1/transactions', { method: 'POST', headers, body: '{}' });
  expectProblem(answer, 404);
});
