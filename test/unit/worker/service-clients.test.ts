import { expect, test } from '@jest/globals';
import { ServiceClients } from '../../../worker';
import { shareRates } from '../../../worker/service-clients';
import { failuresOf } from '../../support/settings/failures';

const ACCOUNT = { baseUrl: 'https://pay.example', clientId: 'client', clientSecret: 'secret' };

test.each([
  ['clientSecret', { clientSecret: 'secret\n' }, {}],
  ['baseUrl', { baseUrl: 'pay.example' }, {}],
  ['callTimeoutMs', {}, { callTimeoutMs: 0 }],
])(
  'a malformed %s of a worker’s account is refused at the start, with the account’s name',
  (path, account, service) => {
    const accounts = { default: ACCOUNT, second: { ...ACCOUNT, ...account } };
    const name = path === 'callTimeoutMs' ? 'default' : 'second';
    expect(failuresOf(() => new ServiceClients(accounts, { service }))).toEqual([
      expect.stringContaining(`${path} (account "${name}") must `),
    ]);
  },
);

test.each([0, -1, 1.5, NaN])(
  'the number of workers that share an account’s rate limit may not be %p',
  (workers) => {
    const accounts = { default: { ...ACCOUNT, callsPerSecond: 10 } };
    const share = () => shareRates(new ServiceClients(accounts), { workers, accounts }, {} as never);
    expect(failuresOf(share)).toEqual(['workers must be a whole number, at least 1']);
  },
);
