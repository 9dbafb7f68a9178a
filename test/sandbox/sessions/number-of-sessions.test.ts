import { describe, expect, test } from '@jest/globals';
import { eft, expectProblem, startService } from '../../support/sandbox/requests-to-sandbox';

describe('at the maximum number of sessions', () => {
  test('the oldest session that has ended is dropped', async () => {
    const service = await startService({ maxSessions: 2 });
    const [first, second] = [await service.open(eft()), await service.open(eft())];
    await service.cancel(second);
    const third = await service.open(eft());
    const statuses = [first, second, third].map(async (id) => (await service.details(id)).status);
    expect(await Promise.all(statuses)).toEqual([200, 404, 200]);
  });

  test('a session that waits for the payor’s signature is dropped only if no other session has ended', async () => {
    const service = await startService({ maxSessions: 2 });
    const [waiting, cancelled] = [await service.open(eft()), await service.open(eft())];
    service.sandbox.act(waiting, 'bankValidated');
    await service.cancel(cancelled);
    await service.open(eft());
    expect(service.sandbox.session(cancelled)).toBeUndefined();
    expect(service.sandbox.session(waiting)).toBeDefined();
    await service.open(eft());
    expect(service.sandbox.session(waiting)).toBeUndefined();
  });

  test('a create request is answered 503 with Retry-After while all sessions are open', async () => {
    const service = await startService({ maxSessions: 2 });
    const first = await service.open(eft());
    await service.open(eft());
    const answer = await service.create(eft());
    expectProblem(answer, 503);
    expect(answer.headers['retry-after']).toBe('60');
    expect((await service.details(first)).status).toBe(200);
    service.clock.advance(15 * 60_000);
    expect((await service.create(eft())).status).toBe(201);
  });
});
