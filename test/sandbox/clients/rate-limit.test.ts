import { describe, expect, test } from '@jest/globals';
import { anotherClient, expectProblem, startService } from '../../support/sandbox/requests-to-sandbox';
import { DEFAULT_CLIENT } from '../../../sandbox/default-client';

// A71 is a rule of the contract (docs/contract.md).

describe('the rate limit', () => {
  test('A71 is off by default', async () => {
    const service = await startService();
    const answers = await Promise.all(Array.from({ length: 50 }, () => service.authorize()));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test('A71 answers 429 with Retry-After in seconds until the window is over', async () => {
    const service = await startService({ rateLimitRequests: 2, rateLimitWindowMs: 10_000 });
    for (let count = 0; count < 2; count += 1) expect((await service.authorize()).status).toBe(200);
    service.clock.advance(2_500);
    const answer = await service.authorize();
    expectProblem(answer, 429);
    expect(answer.headers['retry-after']).toBe('8');
    service.clock.advance(7_500);
    expect((await service.authorize()).status).toBe(200);
  });

  test('A71 sends Retry-After as an HTTP date with retryAfterForm: http-date, and Date by the same clock', async () => {
    const service = await startService({
      rateLimitRequests: 1,
      rateLimitWindowMs: 10_000,
      retryAfterForm: 'http-date',
    });
    await service.authorize();
    const { headers } = await service.authorize();
    expect(headers['retry-after']).toBe('Thu, 01 Jan 2026 00:00:10 GMT');
    expect(headers['date']).toBe('Thu, 01 Jan 2026 00:00:00 GMT');
  });

  test('A71 applies to each client separately', async () => {
    const other = anotherClient();
    const service = await startService({ clients: [DEFAULT_CLIENT, other], rateLimitRequests: 1 });
    await service.token();
    expectProblem(await service.authorize(), 429);
    expect(await service.token(other)).not.toBe('');
  });
});
