import { afterEach, describe, expect, test } from '@jest/globals';
import { eTransfer } from '../../../support/requests';
import {
  cleanUp,
  client,
  json,
  localService,
  SESSION_ID,
  type Behaviour,
} from '../../../support/service/local-service';

// A10 is a rule of the contract (docs/contract.md).

afterEach(cleanUp);

const create = async (referenceId: string, behaviour: Behaviour, account: object = {}) => {
  const service = await localService({ '/sessions': behaviour });
  const options = {
    account: { baseUrl: service.baseUrl, clientId: 'c', clientSecret: 'secret', ...account },
  };
  return await client(service.baseUrl, options).createSession(eTransfer(referenceId));
};

const echo =
  (referenceId: unknown): Behaviour =>
  (response) => {
    json(response, 201, { sessionId: SESSION_ID, referenceId });
  };

describe('A10 a create request has the outcome created if the answer repeats the reference', () => {
  test.each([
    ['unchanged', 'Commande 5', 'Commande 5'],
    ['without white space at its ends', ' Commande 5\t', 'Commande 5'],
    ['with other white space inside', 'Commande  5', 'Commande 5'],
    ['in capitals', 'commande-5', 'COMMANDE-5'],
    ['in small letters', 'ÉTÉ-5', 'été-5'],
    ['in composed Unicode', 'E\u0301te\u0301', '\u00c9t\u00e9'],
    ['in decomposed Unicode', '\u00c9t\u00e9', 'E\u0301te\u0301'],
    ['as null', 'Commande 5', null],
  ])('%s', async (_how, sent, echoed) => {
    expect(await create(sent, echo(echoed))).toMatchObject({ outcome: 'created', sessionId: SESSION_ID });
  });
});

describe('a create request has the outcome unknown, with the session id, if the answer has', () => {
  test.each([
    ['another payment’s reference', 'commande-5', 'commande-6'],
    ['a shortened reference', 'commande-5', 'commande'],
    ['the reference without its hyphen', 'commande-5', 'commande5'],
    ['the reference without its accents', 'été-5', 'ete-5'],
    ['the reference without its inner space', 'commande 5', 'commande5'],
  ])('%s', async (_how, sent, echoed) => {
    expect(await create(sent, echo(echoed))).toMatchObject({
      outcome: 'unknown',
      failure: { code: 'SERVICE_WRONG_SESSION', status: 201 },
      sessionId: SESSION_ID,
    });
  });
});

describe('the session id in the answer to a create request with an unknown outcome', () => {
  const text = `{"sessionId": "${SESSION_ID}", "referenceId": "order-7"`;
  const sent =
    (status: number, body: string, headers: Readonly<Record<string, string | number>> = {}): Behaviour =>
    (response) => {
      response.writeHead(status, headers).end(body);
    };

  test.each<[what: string, behaviour: Behaviour, code: string]>([
    [
      'is kept if the body is cut off',
      (response) => {
        response.writeHead(201, { 'content-length': 1_000 });
        response.write(text, () => response.socket?.destroy());
      },
      'SERVICE_INTERRUPTED',
    ],
    [
      'is kept if the body is too large',
      sent(201, `${text},"more":"${'x'.repeat(300_000)}"}`),
      'SERVICE_UNREADABLE',
    ],
    ['is kept if the JSON is damaged', sent(201, `${text},,}`), 'SERVICE_UNREADABLE'],
    [
      'is kept if the JSON is nested too deeply',
      sent(201, `${text},"more":${'['.repeat(99)}${']'.repeat(99)}}`),
      'SERVICE_UNREADABLE',
    ],
    ['is kept if it is one level deeper in the JSON', sent(201, `{"data":${text}}}`), 'SERVICE_UNREADABLE'],
    [
      'is kept if its JSON field has another name',
      sent(201, `{"session_id":"${SESSION_ID.toUpperCase()}"}`),
      'SERVICE_UNREADABLE',
    ],
    [
      'is kept if it is only in the Location header',
      sent(201, '', { location: `/api/v2/sessions/${SESSION_ID}` }),
      'SERVICE_UNREADABLE',
    ],
    [
      'is kept if the answer redirects to the session',
      sent(303, '', { location: `/api/v2/sessions/${SESSION_ID}/details` }),
      'SERVICE_FAILED',
    ],
    ['is kept if the answer is a 500', sent(500, `${text}}`), 'SERVICE_FAILED'],
  ])('%s', async (_what, behaviour, code) => {
    const outcome = await create('order-7', behaviour);
    expect(outcome).toMatchObject({ outcome: 'unknown', failure: { code } });
    expect(outcome).toHaveProperty('sessionId', expect.stringMatching(new RegExp(`^${SESSION_ID}$`, 'i')));
  });

  test('is not kept if nothing was created', async () => {
    const outcome = await create('order-7', sent(400, `${text}}`));
    expect(outcome).toMatchObject({ outcome: 'rejected' });
    expect(outcome).not.toHaveProperty('sessionId');
  });

  test('is not kept if it is also a secret', async () => {
    const outcome = await create('order-7', sent(201, `{"session_id":"${SESSION_ID}"}`), {
      clientSecret: SESSION_ID,
    });
    expect(outcome).toMatchObject({ outcome: 'unknown' });
    expect(JSON.stringify(outcome)).not.toContain(SESSION_ID);
  });

  test('is not kept if it is invalid', async () => {
    const outcome = await create('order-7', sent(201, '{"session_id":"../cancel"}'));
    expect(outcome).toMatchObject({ outcome: 'unknown' });
    expect(outcome).not.toHaveProperty('sessionId');
  });
});
