import { afterEach, describe, expect, test } from '@jest/globals';
import type { ExpectedSession } from '../../../src/contract';
import type { PaymentService, SessionCallOptions } from '../../../src/service';
import { cleanUp, client, json, localService, SESSION_ID } from '../../support/service/local-service';

afterEach(cleanUp);

const OTHER_ID = '11111111-2222-4333-8444-555555555555';
const EXPECTED: ExpectedSession = { type: 'EFT', direction: 'DEBIT', referenceId: 'order-7' };
const COMPLETED = { sessionId: SESSION_ID, ...EXPECTED, status: 'Completed', statusDetails: 'EFT0301' };

type SessionCall = (payments: PaymentService, options?: SessionCallOptions) => Promise<unknown>;

const CALLS: [name: string, path: string, call: SessionCall][] = [
  ['sessionDetails', '/details', (payments, options) => payments.sessionDetails(SESSION_ID, options)],
  ['identifySession', '/details', (payments, options) => payments.identifySession(SESSION_ID, options)],
  ['cancelSession', '/cancel', (payments, options) => payments.cancelSession(SESSION_ID, options)],
];

describe.each(CALLS)('the client’s call %s', (_name, path, call) => {
  const answered = async (status: number, body: unknown, options?: SessionCallOptions): Promise<unknown> => {
    const service = await localService({
      [path]: (response) => {
        json(response, status, body);
      },
    });
    return await call(client(service.baseUrl), options);
  };

  test.each([
    ['another id', OTHER_ID],
    ['an id that is not a text', 7],
    ['an empty id', ''],
    ['the beginning of the id', SESSION_ID.slice(0, 8)],
  ])('rejects an answer with %s', async (_what, sessionId) => {
    await expect(answered(200, { ...COMPLETED, sessionId })).rejects.toMatchObject({
      code: 'SERVICE_WRONG_SESSION',
      failure: { status: 200 },
    });
  });

  test.each([
    ['type', { type: 'e-Transfer' }],
    ['direction', { direction: 'CREDIT' }],
    ['reference', { referenceId: 'order-8' }],
    ['reference, which is null', { referenceId: null }],
  ])('rejects an answer with another %s if the call expects a payment', async (_what, other) => {
    await expect(answered(200, { ...COMPLETED, ...other }, { expected: EXPECTED })).rejects.toMatchObject({
      code: 'SERVICE_WRONG_SESSION',
    });
    await expect(answered(200, { ...COMPLETED, ...other })).resolves.toBeDefined();
  });

  test.each([400, 404, 409])(
    'rejects an answer with the HTTP status %i and the id of another session',
    async (status) => {
      await expect(answered(status, { title: 'No', sessionId: OTHER_ID })).rejects.toMatchObject({
        code: 'SERVICE_WRONG_SESSION',
        failure: { status },
      });
    },
  );

  test('obeys a rate limit even if the answer has the id of another session', async () => {
    await expect(answered(429, { sessionId: OTHER_ID })).rejects.toMatchObject({
      code: 'SERVICE_RATE_LIMITED',
    });
  });

  test.each([
    ['the id in capitals', { sessionId: SESSION_ID.toUpperCase() }],
    ['a null id', { sessionId: null }],
    ['no id', { sessionId: undefined }],
    ['no type, direction and reference', { type: undefined, direction: undefined, referenceId: undefined }],
  ])('accepts an answer with %s', async (_what, other) => {
    await expect(answered(200, { ...COMPLETED, ...other }, { expected: EXPECTED })).resolves.toBeDefined();
  });
});

test('the failure for an answer about another session does not contain that other session’s id', async () => {
  const service = await localService({
    '/details': (response) => {
      json(response, 200, { ...COMPLETED, sessionId: OTHER_ID });
    },
  });
  const error: unknown = await client(service.baseUrl)
    .sessionDetails(SESSION_ID)
    .catch((caught: unknown) => caught);
  expect(error).toMatchObject({
    message: expect.stringMatching(
      /^Reading the session failed: the service answered 200 about another session\./,
    ),
  });
  expect(JSON.stringify(error)).not.toContain(OTHER_ID);
});
