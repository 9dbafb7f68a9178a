import fc from 'fast-check';
import { describe, expect, test } from '@jest/globals';
import { anyCharacter } from '../../support/any-character';
import { testSeed } from '../../support/seed';
import {
  bearer,
  eft,
  expectProblem,
  JSON_TYPE,
  startService,
  type Answer,
  type Service,
} from '../../support/sandbox/requests-to-sandbox';

// A20 is a rule of the contract (docs/contract.md).

/** Functions that return the text of a JSON object with this many levels of nesting. */
const nested = {
  arrays: (depth: number) => `{"type":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`,
  objects: (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
};

const TOO_DEEP = 'The request body is nested too deeply: at most 32 levels are allowed.';

/** Returns a valid request with one more, unknown field. The field makes the request nest `depth` levels deep. */
function withUnknownField(depth: number): string {
  const inner = '['.repeat(depth - 1) + ']'.repeat(depth - 1);
  return `{"colour":${inner},${JSON.stringify(eft()).slice(1)}`;
}

describe('deeply nested JSON', () => {
  test.each([33, 10_000, 30_000])('in a create request, %i levels deep, is answered 400', async (depth) => {
    const service = await startService();
    const answer = await service.create(undefined, { body: withUnknownField(depth) });
    expectProblem(answer, 400);
    expect(answer.body['detail']).toBe(TOO_DEEP);
  });

  test('A20 in an unknown field of a create request, 32 levels deep, is accepted', async () => {
    const service = await startService();
    expect((await service.create(undefined, { body: withUnknownField(32) })).status).toBe(201);
  });

  test('in a cancel request is answered 400, and does not cancel the session', async () => {
    const service = await startService();
    const sessionId = await service.open(eft());
    const headers = { ...bearer(await service.token()), ...JSON_TYPE };
    expectProblem(await service.cancel(sessionId, { headers, body: nested.objects(10_000) }), 400);
    expect((await service.details(sessionId)).body['status']).toBe('Initiated');
  });

  test('100,000 levels deep is refused as too large, or with a larger maxBodyBytes as too deep', async () => {
    const body = nested.arrays(100_000);
    expectProblem(await (await startService()).create(undefined, { body }), 413);
    const service = await startService({ maxBodyBytes: 1_000_000 });
    expect((await service.create(undefined, { body })).body['detail']).toBe(TOO_DEEP);
  });

  test.each(['/faults', '/holds', '/clock/advance', '/sessions/x/events'])(
    'is answered 400 by the control port at %s',
    async (path) => {
      const service = await startService();
      for (const body of [nested.arrays(30_000), nested.objects(10_000)]) {
        const answer = await control(service, path, body);
        expectProblem(answer, 400);
        expect(answer.body['detail']).toBe(TOO_DEEP);
      }
    },
  );
});

async function control(service: Service, path: string, body: string): Promise<Answer> {
  controlUrls.set(service, controlUrls.get(service) ?? (await service.sandbox.listenControl()).url);
  const response = await fetch(`${controlUrls.get(service)}${path}`, {
    method: 'POST',
    headers: JSON_TYPE,
    body,
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text,
    body: JSON.parse(text) as Answer['body'],
  };
}

const controlUrls = new WeakMap<Service, string>();

describe('bodies of any kind', () => {
  /** The paths at which a hostile value is put into a valid request. */
  const PATHS = [
    'type',
    'amount',
    'referenceId',
    'options',
    'options.limits',
    'options.redirectPreferences.urlExit',
    'payor.firstName',
    'payor.email',
    'payor.birthDate',
    'payor.address.city',
    'payee.account',
    '__proto__.type',
    'constructor',
    'toString',
  ];

  const hostileJson = fc.oneof(
    fc.json({ maxDepth: 6 }),
    fc.constantFrom('1e999', '-0', '1e-400', '0.1000000000000000055', '9007199254740993', '1e21'),
    fc.constantFrom(
      '"\\ud800"',
      '"\\u0000"',
      '"\\u202e"',
      '"\\ufeff"',
      '"__proto__"',
      '{"__proto__":{"x":1}}',
    ),
    fc.integer({ min: 1, max: 20_000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
    fc.integer({ min: 1, max: 9_000 }).map(nested.objects),
    fc.integer({ min: 1, max: 60_000 }).map((length) => JSON.stringify('\u{1f600}'.repeat(length / 4))),
  );

  const body = fc.oneof(
    fc
      .tuple(fc.constantFrom(...PATHS), hostileJson)
      .map(([path, json]) => JSON.stringify(eft().with(path, 'PLACE')).replace('"PLACE"', () => json)),
    hostileJson,
    fc.tuple(hostileJson, fc.nat()).map(([json, cut]) => json.slice(0, cut % (json.length + 1))),
    fc.string({ unit: anyCharacter }),
  );

  test('are accepted, or refused with problem details, and never crash the sandbox', async () => {
    const service = await startService();
    const sessionId = await service.open(eft());
    const headers = { ...bearer(await service.token()), ...JSON_TYPE };
    const expectAnswer = (answer: Answer) => {
      if (answer.status >= 400) expectProblem(answer, answer.status);
      expect([200, 201, 400, 404, 409, 413]).toContain(answer.status);
    };
    await fc.assert(
      fc.asyncProperty(body, async (text) => {
        expectAnswer(await service.create(undefined, { headers, body: text }));
        expectAnswer(await service.cancel(sessionId, { headers, body: text }));
        expectAnswer(await control(service, '/faults', text));
        expectAnswer(await control(service, `/sessions/${sessionId}/events`, text));
      }),
      { seed: testSeed(), numRuns: 60 },
    );
    expect((await service.send('/healthz')).body).toEqual({ status: 'ok' });
  });
});
