import { describe, expect, test } from '@jest/globals';
import { CUT_OFF, eft, expectProblem } from '../../support/sandbox/requests-to-sandbox';
import { startControl } from '../../support/sandbox/control/start-control';

describe('faults over HTTP', () => {
  test('happen as often as requested, are listed until then, and can be removed', async () => {
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
    await expect(control.service.create(eft())).rejects.toThrow(CUT_OFF);
    const { calls } = (await control.get('/calls')).body as { calls: Record<string, unknown>[] };
    expect(calls.at(-1)).toMatchObject({ route: 'create', sessionId: expect.any(String) });
  });

  test('are refused with 409 if 10,000 are armed already', async () => {
    const control = await startControl();
    const many = { route: 'cancel', times: 1_000, fault: { kind: 'hang', phase: 'before' } };
    for (let count = 0; count < 10; count += 1)
      expect((await control.post('/faults', many)).status).toBe(201);
    expectProblem(await control.post('/faults', { ...many, times: 1 }), 409);
  });
});

describe('holds over HTTP', () => {
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

  test('a hold released before a call arrives does not keep the next hold from stopping a call', async () => {
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

  test('a request that waits for a call ends after waitMs, with the state "armed" if no call has arrived', async () => {
    const control = await startControl();
    const { body } = await control.post('/holds', { route: 'cancel', phase: 'after' });
    expect((await control.get(`/holds/${String(body['holdId'])}?waitMs=1`)).body['state']).toBe('armed');
    expectProblem(await control.get(`/holds/${String(body['holdId'])}?waitMs=60001`), 400);
  });
});
