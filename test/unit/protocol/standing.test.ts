import { describe, expect, test } from '@jest/globals';
import {
  standingOf,
  STANDINGS,
  type KnownOfSession,
  type Standing,
} from '../../../src/protocol/state/standing';

const ENDED = { phase: 'ended', outcome: 'ended' } as const;

// The standing is the category in which pages and lists show a session.
describe('the standing of a session', () => {
  test.each<[Standing, KnownOfSession]>([
    ['creating', { kind: 'EFT', phase: 'creating', paid: false }],
    ['parked', { kind: 'EFT', phase: 'parked', paid: false }],
    ['open', { kind: 'EFT', phase: 'open', status: 'Initiated', code: 'EFT0101', paid: false }],
    ['unsigned', { kind: 'GEFT', phase: 'open', status: 'Completed', code: 'EFT0302', paid: false }],
    ['unclear', { kind: 'EFT', phase: 'open', status: 'Completed', paid: false }],
    ['unknownStatus', { kind: 'EFT', phase: 'open', status: 'Settling', paid: false }],
    ['cancelling', { kind: 'EFT', phase: 'cancelling', status: 'Initiated', paid: false }],
    ['paid', { ...ENDED, kind: 'EFT', status: 'Completed', code: 'EFT0301', paid: true }],
    ['paid', { ...ENDED, kind: 'e-Transfer', status: 'Completed' }],
    ['paid', { ...ENDED, paid: true, returned: false }],
    ['returned', { ...ENDED, paid: true, returned: true }],
    ['returned', { outcome: 'terminated', returned: true }],
    ['parked', { phase: 'parked', paid: false, returned: true }],
    ['endedUnclear', { ...ENDED, kind: 'e-Transfer', status: 'Completed', code: 'EFT0302' }],
    ['endedUnclear', { ...ENDED, kind: 'EFT', status: 'Completed' }],
    ['endedUnclear', { ...ENDED, status: 'Completed' }],
    ['endedUnsigned', { ...ENDED, kind: 'EFT', status: 'Completed', code: 'EFT0302', paid: false }],
    ['endedUnsigned', { ...ENDED, kind: 'EFT', status: 'Cancelled', paid: false, unsigned: true }],
    [
      'endedUnverified',
      { ...ENDED, status: 'Completed', code: 'EFT0302', paid: false, unsigned: true, unverified: true },
    ],
    ['endedUnverified', { ...ENDED, status: 'Initiated', paid: false, problems: ['unverifiedEnd'] }],
    ['failed', { ...ENDED, kind: 'EFT', status: 'Failed', code: 'EFT0401', paid: false }],
    ['cancelled', { ...ENDED, kind: 'EFT', status: 'Cancelled', code: 'EFT0501', paid: false }],
    ['expired', { ...ENDED, kind: 'EFT', status: 'Expired', code: 'EFT0601', paid: false }],
    ['neverOpened', { phase: 'ended', outcome: 'failed', paid: false }],
    ['neverOpened', { phase: 'ended', failure: { code: 'SERVICE_FORBIDDEN' }, paid: false }],
    ['terminated', { phase: 'ended', outcome: 'terminated', status: 'Initiated', paid: false }],
    ['over', { ...ENDED, kind: 'EFT', status: 'constructor', paid: false }],
    ['unknown', {}],
  ])('is %s for %j', (standing, known) => {
    expect(standingOf(known)).toBe(standing);
  });
});

describe('the standing of an entry of a state history', () => {
  test.each<[Standing, KnownOfSession]>([
    ['open', { kind: 'EFT', status: 'Initiated', code: 'EFT0101' }],
    ['unsigned', { kind: 'EFT', status: 'Completed', code: 'EFT0302' }],
    ['paid', { kind: 'e-Transfer', status: 'Completed' }],
    ['unclear', { status: 'Completed' }],
    ['failed', { kind: 'EFT', status: 'Failed', code: 'EFT0401' }],
    ['unknownStatus', { kind: 'EFT', status: 'toString' }],
  ])('is %s for %j', (standing, known) => {
    expect(standingOf(known)).toBe(standing);
  });
});

test('only the standing “paid” has the tone “good”', () => {
  const good = Object.entries(STANDINGS).filter(([, tone]) => tone === 'good');
  expect(good.map(([standing]) => standing)).toEqual(['paid']);
});
