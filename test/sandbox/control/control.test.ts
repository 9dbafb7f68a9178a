import { request } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { createSandbox } from '../../../sandbox';
import { CONTROL_ROUTES } from '../../../sandbox/control/routes';
import { expectProblem, startService } from '../../support/sandbox/requests-to-sandbox';
import { startControl } from '../../support/sandbox/control/start-control';

describe('the control port', () => {
  test('is a separate port on 127.0.0.1, and closes with the sandbox', async () => {
    const control = await startControl();
    expect(control.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(control.url).not.toBe(control.service.sandbox.url);
    expectProblem(await control.service.send('/clock'), 404);
    await control.service.sandbox.close();
    await expect(control.get('/clock')).rejects.toThrow('ECONNREFUSED');
  });

  test('is published by the sandbox at /control.json once it is open', async () => {
    const service = await startService();
    expectProblem(await service.send('/control.json'), 404);
    const { url } = await service.sandbox.listenControl();
    expect((await service.send('/control.json')).body).toEqual({ controlUrl: url });
  });

  test('cannot be opened before the sandbox listens, a second time, or on a port in use', async () => {
    await expect(createSandbox().listenControl()).rejects.toThrow('listen() first');
    const { service } = await startControl();
    await expect(service.sandbox.listenControl()).rejects.toThrow('open already');
    const other = await startService();
    const port = Number(new URL(service.sandbox.url).port);
    await expect(other.sandbox.listenControl({ port })).rejects.toMatchObject({ code: 'PORT_IN_USE' });
    await other.sandbox.listenControl();
  });

  test('lists its routes', async () => {
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
  ])('refuses the header %s: %j, which a web page’s request can have', async (name, value) => {
    const control = await startControl();
    expect(await statusWith(control.url, { [name]: value })).toBe(403);
    expect(control.service.sandbox.calls).toEqual([]);
  });

  test.each([
    ['host', 'localhost'],
    ['host', 'LOCALHOST:4011'],
    ['host', '[::1]:4011'],
    ['sec-fetch-site', 'none'],
  ])('accepts the header %s: %s', async (name, value) => {
    expect(await statusWith((await startControl()).url, { [name]: value })).toBe(200);
  });

  test('accepts only JSON, and lists every failure of a request', async () => {
    const control = await startControl();
    expectProblem(await control.post('/holds', {}, { 'content-type': 'text/plain' }), 415);
    const wrong = { route: 'pay', times: 0, fault: { kind: 'reset', phase: 'between' }, extra: 1 };
    const errors = expectProblem(await control.post('/faults', wrong), 400);
    expect(Object.keys(errors).sort()).toEqual(['fault.phase', 'request', 'route', 'times']);
  });
});

/** Returns the status of a GET with exactly these headers. `fetch` would not send some of them. */
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
