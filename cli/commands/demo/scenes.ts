import type { SessionRequest } from '../../../src/contract';
import type { SessionPolicy } from '../../../src/protocol/policy';

/** One payment session of the demonstration: how it is asked for, and how it must end. */
export interface Scene {
  readonly key: string;
  readonly title: string;
  readonly request: SessionRequest;
  /** Cancelled as soon as it is open. */
  readonly cancels?: true;
  readonly endsAs: { readonly status: string; readonly code?: string };
}

/** Polls close together, so that the demonstration is short; a real session keeps the defaults. */
export const DEMO_POLICY: SessionPolicy = { fastestPoll: '500ms', slowestUnsignedPoll: '1s' };

const payor = { firstName: 'Avery', lastName: 'Tremblay', email: 'avery.tremblay@example.com' };

const address = {
  addressLine1: '1 King Street West',
  city: 'Toronto',
  province: 'ON',
  country: 'CA',
  postalCode: 'M5H1A1',
} as const;

function eft(scenario: string): SessionRequest {
  return {
    type: 'EFT',
    direction: 'DEBIT',
    amount: 25,
    referenceId: scenario,
    options: { guarantee: { enable: false } },
    payor,
  };
}

const geft = (scenario: string): SessionRequest => ({
  ...eft(scenario),
  amount: 120.5,
  options: { guarantee: { enable: true } },
  payor: { ...payor, address },
});

const eTransfer = (scenario: string): SessionRequest => ({
  ...eft(scenario),
  type: 'e-Transfer',
  amount: 42,
});

export const SCENES: readonly Scene[] = [
  {
    key: 'demo-eft',
    title: 'EFT, the payor completes',
    request: eft('sandbox-completes'),
    endsAs: { status: 'Completed', code: 'EFT0301' },
  },
  {
    key: 'demo-geft',
    title: 'Guaranteed EFT, the payor completes',
    request: geft('sandbox-completes'),
    endsAs: { status: 'Completed', code: 'EFT0301' },
  },
  {
    key: 'demo-e-transfer',
    title: 'e-Transfer, the payor completes',
    request: eTransfer('sandbox-completes'),
    endsAs: { status: 'Completed' },
  },
  {
    key: 'demo-signs-later',
    title: 'EFT, the PAD agreement is signed later',
    request: eft('sandbox-signs-later'),
    endsAs: { status: 'Completed', code: 'EFT0301' },
  },
  {
    key: 'demo-cancelled',
    title: 'EFT, cancelled while the payor waits',
    request: eft('sandbox-stays-initiated'),
    cancels: true,
    endsAs: { status: 'Cancelled', code: 'EFT0501' },
  },
  {
    key: 'demo-fails',
    title: 'EFT, the payor’s identity does not match',
    request: eft('sandbox-identity-failed'),
    endsAs: { status: 'Failed', code: 'EFT0403' },
  },
  {
    key: 'demo-expires',
    title: 'EFT, the payor never finishes',
    request: eft('sandbox-expires'),
    endsAs: { status: 'Expired', code: 'EFT0601' },
  },
];
