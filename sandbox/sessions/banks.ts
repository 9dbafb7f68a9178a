import type { Address, Payor } from '../../src/contract';
import type { BankAccount } from '../clients';

/** An invented bank. */
export interface Institution {
  readonly id: string;
  readonly name: string;
  readonly institutionCode: string;
  readonly transitNumber: string;
}

export const INSTITUTIONS: readonly Institution[] = [
  { id: 'boreal', name: 'Boreal Bank', institutionCode: '991', transitNumber: '00042' },
  { id: 'harbour', name: 'Harbour Credit Union', institutionCode: '992', transitNumber: '10017' },
  { id: 'fleuve', name: 'Caisse du Fleuve', institutionCode: '993', transitNumber: '20305' },
];

/** The person that a bank knows as the holder of an account. */
export interface AccountHolder {
  readonly firstName: string;
  readonly lastName: string;
  /** `null` if neither the session nor the login names one. */
  readonly address: Pick<Address, 'addressLine1' | 'postalCode'> | null;
}

export const LOGIN_IDS = ['payor', 'initial', 'moved', 'other'] as const;

/** A test login. Each has its own account holder, so that every outcome of the identity match is possible. */
export type LoginId = (typeof LOGIN_IDS)[number];

/** The password of all test logins. It is public. */
export const TEST_PASSWORD = 'sandbox';

/** Returns the login that the credentials name; `undefined` if they are wrong. */
export function logIn(username: string, password: string): LoginId | undefined {
  const name = username.trim().toLowerCase();
  return password === TEST_PASSWORD ? LOGIN_IDS.find((id) => id === name) : undefined;
}

const ELSEWHERE = { addressLine1: '99 Somewhere Else Road', postalCode: 'V5K0A1' };

/** Returns the holder of a login's accounts, for a session's payor. */
export function holderOf(login: LoginId, { firstName, lastName, address }: Payor): AccountHolder {
  const home = address ?? null;
  switch (login) {
    case 'payor':
      return { firstName, lastName, address: home };
    case 'initial':
      return { firstName: `${Array.from(firstName.trim())[0] ?? ''}.`, lastName, address: home };
    case 'moved':
      return { firstName, lastName, address: ELSEWHERE };
    case 'other':
      return { firstName: 'Zed', lastName: 'Someone-Else', address: ELSEWHERE };
  }
}

export const ACCOUNT_IDS = ['chequing', 'savings', 'student'] as const;

export type AccountId = (typeof ACCOUNT_IDS)[number];

interface TestAccount {
  readonly accountNumber: string;
  /** Available balance, in dollars. */
  readonly balance: number;
  /** The largest amount that a guarantee covers, in dollars. */
  readonly guaranteeLimit: number;
}

/** The accounts of every login, at every bank. */
export const ACCOUNTS: Readonly<Record<AccountId, TestAccount>> = {
  chequing: { accountNumber: '1000004321', balance: 2_500, guaranteeLimit: 500 },
  savings: { accountNumber: '1000008765', balance: 12_000, guaranteeLimit: 2_000 },
  student: { accountNumber: '1000000125', balance: 1.25, guaranteeLimit: 1.25 },
};

export function bankAccount(institution: Institution, accountId: AccountId): BankAccount {
  const { institutionCode, transitNumber } = institution;
  return { institutionCode, transitNumber, accountNumber: ACCOUNTS[accountId].accountNumber };
}
