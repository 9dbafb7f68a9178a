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

describe('A10 an echo that the service has tidied is the reference that was sent', () => {
  test.each([
    ['as it was', 'Commande 5', 'Commande 5'],
    ['without white space at its ends', ' Commande 5\t', 'Commande 5'],
    ['with other white space inside', 'Commande  5', 'Commande 5'],
    ['in capitals', 'commande-5', 'COMMANDE-5'],
    ['in small letters', 'ÉTÉ-5', 'été-5'],
    ['composed', 'E\u0301te\u0301', '\u00c9t\u00e9'],
    ['decomposed', '\u00c9t\u00e9', 'E\u0301te\u0301'],
    ['absent', 'Commande 5', null],
  ])('%s', async (_how, sent, echoed) => {
    expect(await create(sent, echo(echoed))).toMatchObject({ outcome: 'created', sessionId: SESSION_ID });
  });
});

describe('an echo of another reference leaves the outcome unknown, and the id is kept', () => {
  test.each([
    ['another payment’s', 'commande-5', 'commande-6'],
    ['cut', 'commande-5', 'commande'],
    ['without its signs', 'commande-5', 'commande5'],
    ['without its accents', 'été-5', 'ete-5'],
    ['without its inner space', 'commande 5', 'commande5'],
  ])('%s', async (_how, sent, echoed) => {
    expect(await create(sent, echo(echoed))).toMatchObject({
      outcome: 'unknown',
      failure: { code: 'SERVICE_WRONG_SESSION', status: 201 },
      sessionId: SESSION_ID,
    });
  });
});

describe('the id that a response names is kept', () => {
  const text = `{"sessionId": "${SESSION_ID}", "referenceId": "order-7"`;
  const sent =
    (status: number, body: string, headers: Readonly<Record<string, string | number>> = {}): Behaviour =>
    (response) => {
      response.writeHead(status, headers).end(body);
    };

  test.each<[what: string, behaviour: Behaviour, code: string]>([
    [
      'when its body is cut off',
      (response) => {
        response.writeHead(201, { 'content-length': 1_000 });
        response.write(text, () => response.socket?.destroy());
      },
      'SERVICE_INTERRUPTED',
    ],
    [
      'when its body is too large',
      sent(201, `${text},"more":"${'x'.repeat(300_000)}"}`),
      'SERVICE_UNREADABLE',
    ],
    ['when its JSON is damaged', sent(201, `${text},,}`), 'SERVICE_UNREADABLE'],
    [
      'when its JSON is nested too deeply',
      sent(201, `${text},"more":${'['.repeat(99)}${']'.repeat(99)}}`),
      'SERVICE_UNREADABLE',
    ],
    ['when it is wrapped', sent(201, `{"data":${text}}}`), 'SERVICE_UNREADABLE'],
    [
      'when it has another name',
      sent(201, `{"session_id":"${SESSION_ID.toUpperCase()}"}`),
      'SERVICE_UNREADABLE',
    ],
    [
      'when only its location names it',
      sent(201, '', { location: `/api/v2/sessions/${SESSION_ID}` }),
      'SERVICE_UNREADABLE',
    ],
    [
      'when it redirects there',
      sent(303, '', { location: `/api/v2/sessions/${SESSION_ID}/details` }),
      'SERVICE_FAILED',
    ],
    ['when it fails', sent(500, `${text}}`), 'SERVICE_FAILED'],
  ])('%s', async (_what, behaviour, code) => {
    const outcome = await create('order-7', behaviour);
    expect(outcome).toMatchObject({ outcome: 'unknown', failure: { code } });
    expect(outcome).toHaveProperty('sessionId', expect.stringMatching(new RegExp(`^${SESSION_ID}$`, 'i')));
  });

  test('not when nothing was created', async () => {
    const outcome = await create('order-7', sent(400, `${text}}`));
    expect(outcome).toMatchObject({ outcome: 'rejected' });
    expect(outcome).not.toHaveProperty('sessionId');
  });

  test('not when it is a secret', async () => {
    const outcome = await create('order-7', sent(201, `{"session_id":"${SESSION_ID}"}`), {
      clientSecret: SESSION_ID,
    });
    expect(outcome).toMatchObject({ outcome: 'unknown' });
    expect(JSON.stringify(outcome)).not.toContain(SESSION_ID);
  });

  test('but not an invalid id', async () => {
    const outcome = await create('order-7', sent(201, '{"session_id":"../cancel"}'));
    expect(outcome).toMatchObject({ outcome: 'unknown' });
    expect(outcome).not.toHaveProperty('sessionId');
  });
});
