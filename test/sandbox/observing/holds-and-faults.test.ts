import { describe, expect, test } from '@jest/globals';
import { CUT_OFF, eft, expectProblem, startService } from '../../support/sandbox/requests-to-sandbox';

// A hold stops a call to the sandbox until the test releases it. A fault makes a call fail. Both act before the
// sandbox processes the call, or after it.
describe('holds', () => {
  test('with the phase before keep a call from being processed until they are released', async () => {
    const service = await startService();
    const hold = service.sandbox.hold('create', 'before');
    const creating = service.create(eft());
    await hold.reached;
    await service.send('/healthz');
    service.sandbox.revokeTokens();
    hold.release();
    expectProblem(await creating, 401);
  });

  test('with the phase after let a call be processed, and stop its answer', async () => {
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

  test('stop one call each; a hold that is released beforehand stops no call', async () => {
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
  test('answer the given number of calls with a status and Retry-After', async () => {
    const service = await startService();
    service.sandbox.failNext('authorize', { kind: 'status', status: 503, retryAfter: '7' }, 2);
    for (let count = 0; count < 2; count += 1) {
      const answer = await service.authorize();
      expectProblem(answer, 503);
      expect(answer.headers['retry-after']).toBe('7');
    }
    expect((await service.authorize()).status).toBe(200);
  });

  test.each([-1, 1.5, 1_001, Infinity])('cannot be set for %p calls', async (times) => {
    const service = await startService();
    expect(() => {
      service.sandbox.failNext('authorize', { kind: 'reset', phase: 'before' }, times);
    }).toThrow(RangeError);
    expect((await service.authorize()).status).toBe(200);
  });

  test('replace the answer to a processed create request with a status and a body', async () => {
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
  ] as const)('reset the connection %s the sandbox processes the call', async (phase, processed) => {
    const service = await startService();
    service.sandbox.failNext('create', { kind: 'reset', phase });
    await expect(service.create(eft())).rejects.toThrow(CUT_OFF);
    expect(service.sandbox.calls.at(-1)?.sessionId !== undefined).toBe(processed);
    expect(service.sandbox.calls.at(-1)).not.toHaveProperty('status');
    expect((await service.create(eft())).status).toBe(201);
  });

  test('apply to one call each, in the order in which they were set', async () => {
    const service = await startService();
    service.sandbox.failNext('create', { kind: 'status', status: 500 });
    service.sandbox.failNext('create', { kind: 'status', status: 502, phase: 'after' });
    service.sandbox.failNext('create', { kind: 'status', status: 503 });
    const statuses: number[] = [];
    for (let count = 0; count < 4; count += 1) statuses.push((await service.create(eft())).status);
    expect(statuses).toEqual([500, 502, 503, 201]);
  });

  test('of the kind hang leave a call without an answer until the caller gives up', async () => {
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
