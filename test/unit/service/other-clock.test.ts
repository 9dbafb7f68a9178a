import { afterEach, describe, expect, test } from '@jest/globals';
import { Pace } from '../../../src/service';
import { useClock } from '../../support/put-clock';
import {
  cleanUp,
  client,
  giveToken,
  json,
  localService,
  SESSION_ID,
} from '../../support/service/local-service';

const putClock = useClock();
const HOUR_MS = 3_600_000;

afterEach(cleanUp);

describe('after the machine’s clock was set back by an hour', () => {
  test('a call waits at most for the pause in Retry-After', () => {
    const pace = new Pace({ random: () => 0 });
    pace.failed(
      { kind: 'poll', sentAtMs: performance.now() },
      { code: 'SERVICE_RATE_LIMITED', retryAfterMs: 2_000 },
    );
    putClock(-HOUR_MS);
    expect(pace.waitMs('poll')).toBeGreaterThan(0);
    expect(pace.waitMs('poll')).toBeLessThanOrEqual(2_000);
  });

  test('a client whose credentials were rejected waits at most a minute for its next token request', async () => {
    const refused = { error: 'invalid_client' };
    const { baseUrl } = await localService({
      '/authorize': (response) => {
        json(response, 401, refused);
      },
    });
    const service = client(baseUrl);
    await expect(service.authenticate()).rejects.toMatchObject({
      failure: { code: 'SERVICE_CREDENTIALS_REJECTED' },
    });
    putClock(-HOUR_MS);
    const error: unknown = await service.authenticate().catch((caught: unknown) => caught);
    expect((error as { failure: { retryAfterMs: number } }).failure.retryAfterMs).toBeLessThanOrEqual(60_000);
  });
});

describe('after the machine’s clock was set forward by an hour', () => {
  test('a valid token is not renewed', async () => {
    const service = await localService({
      '/authorize': giveToken,
      '/details': (response) => {
        json(response, 200, { status: 'Initiated' });
      },
    });
    const asking = client(service.baseUrl);
    await asking.sessionDetails(SESSION_ID);
    putClock(HOUR_MS);
    await asking.sessionDetails(SESSION_ID);
    expect(service.requests('/authorize')).toHaveLength(1);
  });
});

test.each([HOUR_MS, -HOUR_MS])(
  'if the machine’s clock is wrong by %p ms, a date in Retry-After is compared with the Date header of the answer',
  async (offMs) => {
    const { baseUrl } = await localService({
      '/details': (response) => {
        const nowMs = Date.now() - offMs;
        response.setHeader('date', new Date(nowMs).toUTCString());
        response.setHeader('retry-after', new Date(nowMs + 7_000).toUTCString());
        json(response, 503, {});
      },
    });
    putClock(offMs);
    await expect(client(baseUrl).sessionDetails(SESSION_ID)).rejects.toMatchObject({
      failure: { code: 'SERVICE_FAILED', retryAfterMs: 7_000 },
    });
  },
);
