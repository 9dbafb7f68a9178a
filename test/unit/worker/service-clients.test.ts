import { expect, test } from '@jest/globals';
import { ServiceClients } from '../../../worker';
import { failuresOf } from '../../support/settings/failures';

const ACCOUNT = { baseUrl: 'https://pay.example', clientId: 'client', clientSecret: 'secret' };

test.each([
  ['clientSecret', { clientSecret: 'secret\n' }, {}],
  ['baseUrl', { baseUrl: 'pay.example' }, {}],
  ['callTimeoutMs', {}, { callTimeoutMs: 0 }],
])('a malformed %s is refused at once, with the account’s name', (path, account, service) => {
  const accounts = { default: ACCOUNT, second: { ...ACCOUNT, ...account } };
  const name = path === 'callTimeoutMs' ? 'default' : 'second';
  expect(failuresOf(() => new ServiceClients(accounts, { service }))).toEqual([
    expect.stringContaining(`${path} (account "${name}") must `),
  ]);
});
