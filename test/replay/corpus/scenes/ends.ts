import { eft, eTransfer, geft } from '../../../support/requests';
import { ends } from '../acts';
import { CANCELLED, COMPLETED, ended, OPENED } from '../ending';
import type { LiveScene, Scenes } from '../scene';
import type { SessionRequest } from '../../../../src';

const plays = (tells: string, request: SessionRequest, expected: LiveScene['expected']): LiveScene => ({
  tells,
  play: async ({ sessions, input }) => ends(await sessions.start(input(request))),
  expected,
});

const cancels = (tells: string, request: SessionRequest, expected: LiveScene['expected']): LiveScene => ({
  tells,
  play: async ({ open }) => (await open(request)).session.cancelAndWait(),
  expected,
});

const FAILURES = { 'login-failed': 'EFT0401', 'identity-failed': 'EFT0403', 'insufficient-funds': 'EFT0404' };
const KINDS = { eft, geft };

const failures: Scenes = Object.fromEntries(
  Object.entries(KINDS).flatMap(([kind, request]) =>
    Object.entries(FAILURES).map(([failure, code]) => [
      `${kind}-${failure}`,
      plays(`Failed/${code}`, request(`sandbox-${failure}`), ended([OPENED, `Failed/${code} poll`])),
    ]),
  ),
);

/** Scenes of every end of each kind of session. */
export const endScenes: Scenes = {
  ...failures,
  'eft-completed': plays('Completed/EFT0301', eft('sandbox-completes'), ended([OPENED, COMPLETED])),
  'eft-expired': plays('Expired/EFT0601', eft('sandbox-expires'), ended([OPENED, 'Expired/EFT0601 poll'])),
  'geft-completed': plays('Completed/EFT0301', geft('sandbox-completes'), ended([OPENED, COMPLETED])),
  'geft-expired': plays('Expired/EFT0601', geft('sandbox-expires'), ended([OPENED, 'Expired/EFT0601 poll'])),
  'geft-no-guarantee': plays(
    'Failed with a code outside the specification, carried and flagged',
    geft('sandbox-no-guarantee'),
    ended([OPENED, 'Failed/EFT0402 poll'], { anomalies: ['unknownCode'] }),
  ),
  'geft-cancelled': cancels(
    'a guaranteed EFT is cancelled',
    geft(),
    ended([OPENED, CANCELLED], { cancel: 'caller: cancelled' }),
  ),
  'e-transfer-completed': plays(
    'Completed without a code',
    eTransfer('sandbox-completes'),
    ended(['Initiated create', 'Completed poll']),
  ),
  'e-transfer-failed': plays(
    'Failed without a code',
    eTransfer('sandbox-identity-failed'),
    ended(['Initiated create', 'Failed poll']),
  ),
  'e-transfer-expired': plays(
    'Expired without a code',
    eTransfer('sandbox-expires'),
    ended(['Initiated create', 'Expired poll']),
  ),
  'e-transfer-cancelled': cancels(
    'an e-Transfer is cancelled, which has no code',
    eTransfer(),
    ended(['Initiated create', 'Cancelled cancel'], { cancel: 'caller: cancelled' }),
  ),
};
