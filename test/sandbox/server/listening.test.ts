import { describe, expect, test } from '@jest/globals';
import { createSandbox } from '../../../sandbox';
import {
  bearer,
  CUT_OFF,
  eft,
  expectProblem,
  JSON_TYPE,
  startService,
} from '../../support/sandbox/requests-to-sandbox';

// A73 is a rule of the contract (docs/contract.md).

describe('listening', () => {
  test('sessions and tokens stay valid if the sandbox is closed and listens again on its port', async () => {
    const service = await startService();
    const token = await service.token();
    const sessionId = await service.open(eft());
    const { port, href } = new URL(service.sandbox.url);
    await service.sandbox.close();
    await expect(service.status(sessionId)).rejects.toThrow('ECONNREFUSED');
    const again = await service.sandbox.listen({ port: Number(port) });
    expect(new URL(again.url).href).toBe(href);
    const details = await service.send(`/api/v2/sessions/${sessionId}/details`, { headers: bearer(token) });
    expect(details.body['status']).toBe('Initiated');
  });

  test('a scenario goes on while the sandbox is closed', async () => {
    const service = await startService();
    const sessionId = await service.open(eft('sandbox-completes'));
    await service.sandbox.close();
    service.clock.advance(2_000);
    expect(service.sandbox.session(sessionId)?.state.status).toBe('Completed');
  });

  test('an event planned with actAt happens at its time, between the events of the scenario', async () => {
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

  test('a port in use is refused with an error that names the port', async () => {
    const service = await startService();
    const port = Number(new URL(service.sandbox.url).port);
    await expect(createSandbox().listen({ port })).rejects.toMatchObject({
      code: 'PORT_IN_USE',
      message: expect.stringMatching(new RegExp(`Port ${port} is in use.*Choose another port`)),
    });
  });

  test('a sandbox has no address before it listens, and cannot listen twice at once', async () => {
    expect(() => createSandbox().url).toThrow('listen');
    const service = await startService();
    await expect(service.sandbox.listen()).rejects.toThrow('listens already');
  });

  test('close cuts off calls that have no answer yet', async () => {
    const service = await startService();
    const hold = service.sandbox.hold('authorize', 'before');
    const call = expect(service.authorize()).rejects.toThrow(CUT_OFF);
    await hold.reached;
    await service.sandbox.close();
    await call;
    hold.release();
  });

  test('the health check answers that the sandbox is alive', async () => {
    const { status, body } = await (await startService()).send('/healthz');
    expect([status, body]).toEqual([200, { status: 'ok' }]);
  });
});

test('A73 the sandbox does not have the endpoints of the service’s earlier API version', async () => {
  const service = await startService();
  const headers = { ...bearer(await service.token()), ...JSON_TYPE };
  const answer = await service.send('/api/v1/transactions', { method: 'POST', headers, body: '{}' });
  expectProblem(answer, 404);
});
