import type { SandboxClient } from './clients';

/** The client of a sandbox that is given none. Its secret is public, as are all secrets of a sandbox. */
export const DEFAULT_CLIENT: SandboxClient = {
  clientId: 'sandbox-client',
  clientSecret: 'sandbox-secret',
  displayName: 'Sample Merchant',
  features: ['RegularEft'],
  minimumAmount: 1,
  maximumAmount: 10_000,
  settlementAccount: { accountNumber: '0009876543', transitNumber: '00019', institutionCode: '001' },
};
