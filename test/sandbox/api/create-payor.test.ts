import { describe, expect, test } from '@jest/globals';
import { ALL_KINDS, create, expectRefusal } from '../../support/sandbox/api/creating';
import { eft, startService } from '../../support/sandbox/requests-to-sandbox';

// A18 and A19 are rules of the contract (docs/contract.md).

describe('the payor of a create request', () => {
  test.each(ALL_KINDS)(
    'A18 %s needs a payor with a first name, a last name and an email',
    async (_kind, request) => {
      const errors = (await create(request.without('payor'))).body['errors'] as object;
      expect(Object.keys(errors)).toContain('payor');
      for (const name of ['firstName', 'lastName', 'email']) {
        expectRefusal(await create(request.without(`payor.${name}`)), `payor.${name}`);
        expectRefusal(await create(request.with(`payor.${name}`, null)), `payor.${name}`);
      }
    },
  );

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

  test('A19 middle name, occupation, birth date and address may be null', async () => {
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
