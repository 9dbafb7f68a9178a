import type { SandboxClient } from './clients';

/**
 * The only client of a sandbox without the option `clients`. Its secret is public. The constant has a file of its own, so that the command
 * line can show it without loading the package that checks clients.
 */
export const DEFAULT_CLIENT: SandboxClient = {
  clientId: 'sandbox-client',
  clientSecret: 'sandbox-secret',
  displayName: 'Sample Merchant',
  features: ['RegularEft'],
  minimumAmount: 1,
  maximumAmount: 10_000,
  settlementAccount: { accountNumber: '0009876543', transitNumber: '00019', institutionCode: '001' },
};
