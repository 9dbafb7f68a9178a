import { describe, expect, test } from '@jest/globals';
import { bearer, eft, JSON_TYPE, startService } from '../../support/sandbox/requests-to-sandbox';
import { DEFAULT_CLIENT } from '../../../sandbox/default-client';

describe('the sandbox’s log of calls', () => {
  test('has the method, route, status, session and time of each call, the oldest first', async () => {
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

  test('keeps only the newest calls, up to maxCalls', async () => {
    const service = await startService({ maxCalls: 1 });
    await service.open(eft());
    expect(service.sandbox.calls.map(({ route }) => route)).toEqual(['create']);
  });

  test('prints one line for each call, without body, query, token or secret', async () => {
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

  test('prints a line for a health check only if the check fails', async () => {
    const lines: string[] = [];
    const service = await startService({ log: (line) => lines.push(line) });
    await service.send('/healthz');
    await service.send('/healthz', { headers: { host: 'other.example' } });
    await service.sandbox.close();
    expect(lines).toEqual([expect.stringMatching(/GET \/healthz 403 \d+ms$/)]);
  });
});
