import { describe, expect, test } from '@jest/globals';
import { DEFAULT_CLIENT } from '../../sandbox';
import {
  bearer,
  eft,
  eTransfer,
  expectProblem,
  geft,
  startService,
  type Answer,
  type RequestBuilder,
} from './support';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const ALL_KINDS = [
  ['EFT', eft()],
  ['GEFT', geft()],
  ['e-Transfer', eTransfer()],
] as const;

async function create(request: RequestBuilder): Promise<Answer> {
  return (await startService()).create(request);
}

/** Expects a refusal whose `errors` names exactly these paths. */
function expectRefusal(answer: Answer, ...paths: readonly string[]): void {
  const errors = expectProblem(answer, 400);
  expect(Object.keys(errors).sort()).toEqual([...paths].sort());
}

/** The options of a session as the details show them, with their defaults. */
async function optionsOf(request: RequestBuilder): Promise<unknown> {
  const service = await startService();
  return (await service.details(await service.open(request))).body['options'];
}

describe('a session', () => {
  test.each(ALL_KINDS)('A10 %s is created with an id and its reference', async (_kind, request) => {
    const { status, body } = await create(request.with('referenceId', 'order-42'));
    expect(status).toBe(201);
    expect(body).toEqual({ sessionId: expect.stringMatching(UUID), referenceId: 'order-42' });
  });

  test.each(ALL_KINDS)('A10 %s without a reference has null', async (_kind, request) => {
    expect((await create(request.without('referenceId'))).body['referenceId']).toBeNull();
  });

  test.each([undefined, null, 'eft', 'GEFT', 'e-transfer', 1])('A11 type %p is refused', async (type) => {
    expectRefusal(await create(eft().with('type', type)), 'type');
  });

  test.each([undefined, null, 'debit', 'BOTH'])('A11 direction %p is refused', async (direction) => {
    expectRefusal(await create(eft().with('direction', direction)), 'direction');
  });

  test('A11 EFT of either kind is DEBIT only; an e-Transfer takes both', async () => {
    expectRefusal(await create(eft().with('direction', 'CREDIT')), 'direction');
    expectRefusal(await create(geft().with('direction', 'CREDIT')), 'direction');
    expect((await create(eTransfer().with('direction', 'CREDIT'))).status).toBe(201);
  });

  test('A12 the currency is CAD, also when omitted', async () => {
    const service = await startService();
    for (const request of [eft(), eft().with('currency', 'CAD')]) {
      expect((await service.details(await service.open(request))).body['currency']).toBe('CAD');
    }
    for (const currency of ['USD', 'cad', '', 1]) {
      expectRefusal(await service.create(eft().with('currency', currency)), 'currency');
    }
  });
});

describe('the amount', () => {
  const anyAmount = { ...DEFAULT_CLIENT, minimumAmount: 0.01 };

  test('A13 two decimals pass and three are refused, judged on the decimal text', async () => {
    const service = await startService({ clients: [anyAmount] });
    for (const amount of ['0.01', '0.07', '1.15', '4.35', '1e-2', '10000', '1.10', 'null']) {
      const body = JSON.stringify(eft().with('amount', 'AMOUNT')).replace('"AMOUNT"', amount);
      expect([amount, (await service.create(undefined, { body })).status]).toEqual([amount, 201]);
    }
    for (const amount of ['0.005', '1.001', '0', '-1', '1e999', '"25"', 'true', '[25]']) {
      const body = JSON.stringify(eft().with('amount', 'AMOUNT')).replace('"AMOUNT"', amount);
      expectRefusal(await service.create(undefined, { body }), 'amount');
    }
  });

  test('A13 an omitted amount is null until the payor enters it', async () => {
    const service = await startService();
    const sessionId = await service.open(eft().without('amount'));
    expect((await service.details(sessionId)).body['amount']).toBeNull();
    service.sandbox.act(sessionId, { type: 'amountEntered', amount: 12.5 });
    expect((await service.details(sessionId)).body['amount']).toBe(12.5);
  });

  test.each(ALL_KINDS)('A14 %s: the client’s bounds hold, inclusive', async (_kind, request) => {
    const service = await startService({
      clients: [{ ...DEFAULT_CLIENT, minimumAmount: 10, maximumAmount: 20 }],
    });
    for (const amount of [10, 20])
      expect((await service.create(request.with('amount', amount))).status).toBe(201);
    for (const amount of [9.99, 20.01]) {
      expectRefusal(await service.create(request.with('amount', amount)), 'amount');
    }
  });

  test.each(ALL_KINDS)('A14 %s: each bound of the session replaces the client’s', async (_kind, request) => {
    const service = await startService({
      clients: [{ ...DEFAULT_CLIENT, minimumAmount: 10, maximumAmount: 20 }],
    });
    const lower = request.with('options.limits', { minimumAmount: 2, maximumAmount: null });
    expect((await service.create(lower.with('amount', 2))).status).toBe(201);
    expectRefusal(await service.create(lower.with('amount', 1.99)), 'amount');
    expectRefusal(await service.create(lower.with('amount', 20.01)), 'amount');
    const higher = request.with('options.limits', { maximumAmount: 30 });
    expect((await service.create(higher.with('amount', 30))).status).toBe(201);
    expectRefusal(await service.create(higher.with('amount', 9.99)), 'amount');
  });

  test('A14 a minimum above the maximum is refused, also when one of them is the client’s', async () => {
    expectRefusal(
      await create(eft().with('options.limits', { minimumAmount: 3, maximumAmount: 2 })),
      'options.limits',
    );
    expectRefusal(await create(eft().with('options.limits', { minimumAmount: 10_001 })), 'options.limits');
  });
});

describe('the options', () => {
  test('A15 options and a boolean guarantee.enable are required', async () => {
    expectRefusal(await create(eft().without('options')), 'options');
    expectRefusal(await create(eft().without('options.guarantee')), 'options.guarantee');
    for (const enable of [undefined, null, 'false', 0]) {
      expectRefusal(await create(eft().with('options.guarantee', { enable })), 'options.guarantee.enable');
    }
  });

  test('A15 an e-Transfer with a guarantee is accepted, and needs an address', async () => {
    const guaranteed = eTransfer().with('options.guarantee.enable', true);
    expectRefusal(await create(guaranteed), 'payor.address');
    const { address } = geft().value['payor'] as { address: unknown };
    expect((await create(guaranteed.with('payor.address', address))).status).toBe(201);
  });

  test('A15 an option lets an e-Transfer omit the guarantee, and no one else', async () => {
    expectRefusal(await create(eTransfer().without('options.guarantee')), 'options.guarantee');
    const service = await startService({ guaranteeOptionalForETransfer: true });
    expect((await service.create(eTransfer().without('options.guarantee'))).status).toBe(201);
    expectRefusal(await service.create(eft().without('options.guarantee')), 'options.guarantee');
  });

  test('A16 the defaults', async () => {
    expect(await optionsOf(eft())).toMatchObject({
      notificationPreferences: { language: 'EN', sendNetworkLink: false },
      showConsentScreen: null,
      amountModification: false,
    });
    expect(await optionsOf(eft().without('amount'))).toMatchObject({ amountModification: true });
  });

  test('A16 what is given is kept', async () => {
    const given = {
      notificationPreferences: { language: 'FR', sendNetworkLink: true },
      showConsentScreen: true,
      amountModification: true,
    };
    const request = Object.entries(given).reduce(
      (builder, [name, value]) => builder.with(`options.${name}`, value),
      eft(),
    );
    expect(await optionsOf(request)).toMatchObject(given);
  });

  test.each([
    ['notificationPreferences.language', 'en'],
    ['notificationPreferences.language', 'DE'],
    ['notificationPreferences.sendNetworkLink', 'yes'],
    ['amountModification', null],
    ['amountModification', 1],
    ['showConsentScreen', 'no'],
  ])('A16 %s %p is refused', async (name, value) => {
    expectRefusal(await create(eft().with(`options.${name}`, value)), `options.${name}`);
  });

  test('A17 redirect preferences: two modes, absolute http or https URIs or null', async () => {
    const given = { mode: 'RedirectUri', urlSuccess: 'https://shop.example/paid?x=1', urlExit: null };
    expect(await optionsOf(eft().with('options.redirectPreferences', given))).toMatchObject({
      redirectPreferences: given,
    });
    expect(await optionsOf(eft().with('options.redirectPreferences', { mode: 'RedirectUri' }))).toMatchObject(
      {
        redirectPreferences: { mode: 'RedirectUri', urlSuccess: null, urlExit: null },
      },
    );
  });

  test.each([
    ['mode', 'Popup'],
    ['urlSuccess', '/paid'],
    ['urlSuccess', 'javascript:alert(1)'],
    ['urlExit', 'ftp://shop.example/'],
    ['urlExit', ''],
  ])('A17 %s %p is refused', async (name, value) => {
    const path = `options.redirectPreferences.${name}`;
    expectRefusal(await create(eft().with(path, value)), path);
  });
});

describe('the payor', () => {
  test.each(ALL_KINDS)('A18 %s needs a payor with names and email', async (_kind, request) => {
    const withoutAddress = (await create(request.without('payor'))).body['errors'] as object;
    expect(Object.keys(withoutAddress)).toContain('payor');
    for (const name of ['firstName', 'lastName', 'email']) {
      expectRefusal(await create(request.without(`payor.${name}`)), `payor.${name}`);
      expectRefusal(await create(request.with(`payor.${name}`, null)), `payor.${name}`);
    }
  });

  test.each(['firstName', 'lastName', 'middleName'])('A18 %s has at most 100 code points', async (name) => {
    const service = await startService();
    const named = (value: string) => service.create(eft().with(`payor.${name}`, value));
    expect((await named('é'.repeat(100))).status).toBe(201);
    expect((await named('🍁'.repeat(100))).status).toBe(201);
    expectRefusal(await named('é'.repeat(101)), `payor.${name}`);
  });

  test('A18 the email has at most 100 characters', async () => {
    const service = await startService();
    const mailed = (length: number) =>
      service.create(eft().with('payor.email', `${'a'.repeat(length - '@example.com'.length)}@example.com`));
    expect((await mailed(100)).status).toBe(201);
    expectRefusal(await mailed(101), 'payor.email');
  });

  test.each([
    ['firstName', '   '],
    ['lastName', ''],
    ['email', 'nobody'],
    ['email', 'a@b'],
    ['email', 'a b@example.com'],
    ['email', ''],
  ])('A18 %s %p is refused', async (name, value) => {
    expectRefusal(await create(eft().with(`payor.${name}`, value)), `payor.${name}`);
  });

  test('A19 the other fields may be null', async () => {
    const nothing = { middleName: null, occupation: null, birthDate: null, address: null };
    const request = eft().with('payor', { ...(eft().value['payor'] as object), ...nothing });
    expect((await create(request)).status).toBe(201);
  });

  test.each([
    ['85-12-31', 201],
    ['1985-12-31', 201],
    ['00-02-29', 201],
    ['96-02-29', 201],
    ['97-02-29', 400],
    ['1900-02-29', 400],
    ['85-13-01', 400],
    ['85-00-10', 400],
    ['85-06-31', 400],
    ['85-6-1', 400],
    ['31/12/1985', 400],
    ['', 400],
  ])('A19 birth date %p is answered %i', async (birthDate, status) => {
    expect((await create(eft().with('payor.birthDate', birthDate))).status).toBe(status);
  });
});

describe('the body', () => {
  test('A20 unknown fields are ignored', async () => {
    const request = eft().with('colour', 'blue').with('payor.shoeSize', 44).with('options.x', { y: 1 });
    expect((await create(request)).status).toBe(201);
  });

  test.each(['', '{', '[]', 'null', '7', '"text"', '{"type":"EFT"', "{'type':'EFT'}"])(
    'A20 the body %p is answered 400',
    async (body) => {
      expectProblem(await (await startService()).create(undefined, { body }), 400);
    },
  );

  test('A20 a body that is not UTF-8 is answered 400', async () => {
    const body = Buffer.from(JSON.stringify(eft().with('colour', '\xff')), 'latin1');
    expectProblem(await (await startService()).create(undefined, { body }), 400);
  });

  test('A20 a wrong content type is answered 400, or 415 by option; a charset is no matter', async () => {
    const service = await startService();
    const option = await startService({ wrongContentTypeStatus: 415 });
    const typed = async (to: typeof service, type: string) =>
      to.create(eft(), { headers: { ...bearer(await to.token()), 'content-type': type } });
    expectProblem(await typed(service, 'text/plain'), 400);
    expectProblem(await typed(option, 'text/plain'), 415);
    expect((await typed(service, 'Application/JSON; charset=utf-8')).status).toBe(201);
  });

  test('A20 a body of 64 KiB passes and a larger one is answered 413', async () => {
    const service = await startService();
    const padded = (bytes: number) => JSON.stringify(eft()).padEnd(bytes, ' ');
    expect((await service.create(undefined, { body: padded(65_536) })).status).toBe(201);
    expectProblem(await service.create(undefined, { body: padded(65_537) }), 413);
  });

  test('A21 every failure is in detail, and by its path in errors', async () => {
    const request = eft()
      .with('direction', 'CREDIT')
      .with('amount', 0.005)
      .with('referenceId', 'a b')
      .without('payor.email')
      .with('payor.address', { city: 'Toronto' });
    const answer = await create(request);
    const paths = ['direction', 'amount', 'referenceId', 'payor.email', 'payor.address.postalCode'];
    const errors = expectProblem(answer, 400);
    for (const path of paths) {
      expect(errors[path]?.length).toBeGreaterThan(0);
      expect(answer.body['detail']).toContain(path);
    }
  });

  test('A21 no value of the request is repeated', async () => {
    const secret = 'hunter2-secret';
    const request = ['type', 'direction', 'referenceId', 'payor.birthDate', 'payor.address.province'].reduce(
      (builder, path) => builder.with(path, secret),
      eft().with('payor.email', secret).with(secret, secret).with('options.limits.minimumAmount', secret),
    );
    expect((await create(request)).text).not.toContain(secret);
  });
});
