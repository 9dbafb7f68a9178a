import { describe, expect, test } from '@jest/globals';
import { bearer, eft, JSON_TYPE, startService } from '../../support/sandbox/requests-to-sandbox';
import { DEFAULT_CLIENT } from '../../../sandbox/default-client';

describe('the log of calls', () => {
  test('has method, route, status, session and time, from the oldest to the newest', async () => {
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

  test('has no more than maxCalls', async () => {
    const service = await startService({ maxCalls: 1 });
    await service.open(eft());
    expect(service.sandbox.calls.map(({ route }) => route)).toEqual(['create']);
  });

  test('has one line in the output for each call, without body, query, token or secret', async () => {
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

  test('has no line in the output for a health check, unless it fails', async () => {
    const lines: string[] = [];
    const service = await startService({ log: (line) => lines.push(line) });
    await service.send('/healthz');
    await service.send('/healthz', { headers: { host: 'other.example' } });
    await service.sandbox.close();
    expect(lines).toEqual([expect.stringMatching(/GET \/healthz 403 \d+ms$/)]);
  });
});
