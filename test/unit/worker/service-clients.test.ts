import { expect, test } from '@jest/globals';
import { ServiceClients } from '../../../worker';
import { shareRates } from '../../../worker/service-clients';
import { failuresOf } from '../../support/settings/failures';

const ACCOUNT = { baseUrl: 'https://pay.example', clientId: 'client', clientSecret: 'secret' };

test.each([
  ['clientSecret', { clientSecret: 'secret\n' }, {}],
  ['baseUrl', { baseUrl: 'pay.example' }, {}],
  ['sendTraceparent', { sendTraceparent: 'yes' as unknown as boolean }, {}],
  ['callTimeoutMs', {}, { callTimeoutMs: 0 }],
])(
  'a malformed %s of a worker’s account is refused at the start, and the error names the account',
  (path, account, service) => {
    const accounts = { default: ACCOUNT, second: { ...ACCOUNT, ...account } };
    const name = path === 'callTimeoutMs' ? 'default' : 'second';
    expect(failuresOf(() => new ServiceClients(accounts, { service }))).toEqual([
      expect.stringContaining(`${path} (account "${name}") must `),
    ]);
  },
);

test.each<[path: string, account: object, service: object, meant: string]>([
  ['callsPerSeconds', { callsPerSeconds: 5 }, {}, 'callsPerSecond'],
  ['headersTimeout', {}, { headersTimeout: 2_000 }, 'headersTimeoutMs'],
])(
  'a misspelt %s of a worker’s account is refused at the start, and the error suggests the right name',
  (path, account, service, meant) => {
    const accounts = { default: { ...ACCOUNT, ...account } };
    expect(failuresOf(() => new ServiceClients(accounts, { service }))).toEqual([
      expect.stringMatching(RegExp(`^${path} \\(account "default"\\) is not .*; did you mean ${meant}\\?$`)),
    ]);
  },
);

test('a worker’s accounts and client options may have all known members, and members that are undefined', async () => {
  const account = { ...ACCOUNT, callsPerSecond: undefined, sendTraceparent: true, later: undefined };
  const service = { now: () => 0, tracer: undefined, spareConnections: 0, headersTimeoutMs: 2_000 };
  const clients = new ServiceClients({ default: account }, { service });
  await clients.close();
});

test.each([0, -1, 1.5, NaN])(
  'the number of workers that share an account’s rate limit may not be %p',
  (workers) => {
    const accounts = { default: { ...ACCOUNT, callsPerSecond: 10 } };
    const share = () => shareRates(new ServiceClients(accounts), { workers, accounts }, {} as never);
    expect(failuresOf(share)).toEqual(['workers must be a whole number, at least 1']);
  },
);
