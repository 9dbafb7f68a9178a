import { afterEach, describe, expect, test } from '@jest/globals';
import type { ExpectedSession } from '../../../src/contract';
import type { RawExchange } from '../../../src/service/http/exchange';
import { cleanUp, client, json, localService, SESSION_ID } from '../../support/service/local-service';
import { LastAnswers } from '../../../src/service/answers/session-answer';

afterEach(cleanUp);

// A poll without a change has the same bytes as the poll before. The client keeps the last answer, so that it need not read those
// bytes again.
const answer = (text: string, status = 200): RawExchange => ({
  kind: 'answered',
  status,
  headers: {},
  body: { state: 'complete', bytes: Buffer.from(text) },
});
const EXPECTED: ExpectedSession = { type: 'EFT', direction: 'DEBIT', referenceId: 'order-7' };
const READ_FOR = { sessionId: SESSION_ID, expected: EXPECTED, secrets: 1 };

/** True if the second answer is read, and not replaced by what was read from the first answer. */
function isReadAgain(
  first: RawExchange,
  second: RawExchange,
  readFor: Partial<typeof READ_FOR> = {},
): boolean {
  const answers = new LastAnswers();
  let count = 0;
  const read = () => {
    count += 1;
    return { snapshot: { status: 'Initiated' }, identity: {} };
  };
  answers.read(first, READ_FOR, read);
  answers.read(second, { ...READ_FOR, ...readFor }, read);
  return count === 2;
}

describe('an answer of the payment service', () => {
  test('with the bytes of the previous answer is not read again', () => {
    expect(isReadAgain(answer('{"status":"Initiated"}'), answer('{"status":"Initiated"}'))).toBe(false);
  });

  test.each<[string, RawExchange, Partial<typeof READ_FOR>]>([
    ['that has other bytes', answer('{"status":"Completed"}'), {}],
    ['that has another HTTP status', answer('{}', 404), {}],
    ['to a call for another session', answer('{}'), { sessionId: 'another' }],
    [
      'to a call that expects another payment',
      answer('{}'),
      { expected: { ...EXPECTED, referenceId: 'order-8' } },
    ],
    ['that comes when another secret is known', answer('{}'), { secrets: 2 }],
    ['that was cut off', { ...answer('{}'), body: { state: 'cut', reason: 'reset' } } as RawExchange, {}],
    ['that did not arrive', { kind: 'unanswered', sent: true, reason: 'reset' }, {}],
  ])('%s is read again', (_, second, readFor) => {
    expect(isReadAgain(answer('{}'), second, readFor)).toBe(true);
  });
});

test('after a failed answer of the payment service, the next answer is read again', async () => {
  const service = await localService({
    '/details': (response, _received, count) => {
      if (count === 2) json(response, 503, {});
      else json(response, 200, { sessionId: SESSION_ID, status: 'Initiated', statusDetails: 'EFT0101' });
    },
  });
  const payments = client(service.baseUrl);
  const read = () => payments.sessionDetails(SESSION_ID).catch((error: unknown) => error);
  const report = { status: 'Initiated', code: 'EFT0101' };
  expect(await read()).toEqual(report);
  expect(await read()).toMatchObject({ code: 'SERVICE_FAILED' });
  expect(await read()).toEqual(report);
});

test('a token in an answer is redacted, even if these bytes were read before the token was known', async () => {
  const [first, second] = ['Kd83hfQz0pLm', 'vT5xWn29RsYb'];
  const service = await localService({
    '/authorize': (response, _received, count) => {
      json(response, 200, { access_token: count === 1 ? first : second, expires_in: 600 });
    },
    '/details': (response, _received, count) => {
      if (count === 2) json(response, 401, {});
      else json(response, 200, { sessionId: SESSION_ID, status: `Initiated ${second}` });
    },
  });
  const payments = client(service.baseUrl);
  expect(await payments.sessionDetails(SESSION_ID)).toEqual({ status: `Initiated ${second}` });
  expect(await payments.sessionDetails(SESSION_ID)).toEqual({ status: 'Initiated [redacted]' });
});
