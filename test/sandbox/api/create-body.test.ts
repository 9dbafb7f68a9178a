import { describe, expect, test } from '@jest/globals';
import { create } from '../../support/sandbox/api/creating';
import { bearer, eft, expectProblem, startService } from '../../support/sandbox/requests-to-sandbox';

// A20 and A21 are rules of the contract (docs/contract.md).

describe('the body of a create request', () => {
  test('A20 unknown fields are ignored', async () => {
    const request = eft().with('colour', 'blue').with('payor.shoeSize', 44).with('options.x', { y: 1 });
    expect((await create(request)).status).toBe(201);
    expect((await create(eft().with('amont', 25).with('payor.fristName', 'Avery'))).status).toBe(201);
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

  test('A20 a wrong content type is answered 400, or with wrongContentTypeStatus; a charset is ignored', async () => {
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

  test('A21 the answer lists every failure in `detail`, and in `errors` by the path of the field', async () => {
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

  test('A21 the answer repeats no value of the request', async () => {
    const secret = 'hunter2-secret';
    const request = ['type', 'direction', 'referenceId', 'payor.birthDate', 'payor.address.province'].reduce(
      (builder, path) => builder.with(path, secret),
      eft().with('payor.email', secret).with(secret, secret).with('options.limits.minimumAmount', secret),
    );
    expect((await create(request)).text).not.toContain(secret);
  });
});
