import type { Sandbox } from '../../../../sandbox';
import { eft, eTransfer } from '../../../support/requests';
import { ALWAYS, ends, reports } from '../acts';
import { CANCELLED, COMPLETED, ended, OPENED, UNKNOWN, VALIDATED, type Ending } from '../ending';
import type { Scenes, VirtualScene, VirtualStage } from '../scene';

const NEVER_EXPIRES = { idleExpiryMs: 1e12, absoluteExpiryMs: 1e12 };
const RARELY = { fastestPoll: '3h', slowestUnsignedPoll: '3h' } as const;

const detailsFail = (sandbox: Sandbox): void => {
  sandbox.failNext('details', { kind: 'status', status: 503 }, ALWAYS);
};

/** The payor signs in time, but polls fail until some hours after the deadline. */
async function signedInAnOutage({ open, payor, advance, sandbox }: VirtualStage): Promise<void> {
  const { session, sessionId } = await open(eft(), { ...RARELY, padSignatureDeadline: '1d' });
  await payor(sessionId).validatesBank();
  await advance('23h');
  detailsFail(sandbox);
  await payor(sessionId).signsPad();
  await advance('6h');
  sandbox.clearFaults();
  await session.result();
}

/** Polls fail from before the deadline until the session ends. */
async function neverBack({ open, payor, advance, sandbox }: VirtualStage): Promise<void> {
  const { session, sessionId } = await open(eft(), {
    ...RARELY,
    padSignatureDeadline: '1d',
    unverifiedAfter: '6h',
  });
  await payor(sessionId).validatesBank();
  await advance('23h');
  detailsFail(sandbox);
  await session.result();
}

/** On the second day, the service sends one strange report. On the third, the payor signs the PAD. */
async function oddOnDayTwo({ open, payor, advance, sandbox }: VirtualStage): Promise<void> {
  const { session, sessionId } = await open(eft(), RARELY);
  await payor(sessionId).validatesBank();
  await advance('36h');
  const body = JSON.stringify({ status: 'Settling' });
  sandbox.failNext('details', { kind: 'status', status: 200, body, contentType: 'application/json' });
  await advance('8h');
  await payor(sessionId).after('1d').signsPad();
  await session.result();
}

/** For more than an hour, the service answers each cancel with 404, as if it did not know the session. */
async function deniedToCancels({ open, advance, sandbox }: VirtualStage): Promise<void> {
  const { session } = await open(eft('sandbox-stays-initiated'), RARELY);
  sandbox.failNext('cancel', { kind: 'status', status: 404 }, ALWAYS);
  await session.cancel();
  await advance('65m');
  sandbox.clearFaults();
  await ends(session);
}

/** The service at first reports an e-Transfer with a code. A caller refreshes the session. */
async function codeOfAnotherKind(stage: VirtualStage): Promise<void> {
  const { session, sessionId } = await stage.open(eTransfer(), RARELY);
  reports(stage, { status: 'Completed', statusDetails: 'EFT0302' });
  await session.refresh();
  await stage.payor(sessionId).completes();
  stage.sandbox.clearFaults();
  await session.refresh();
  await session.result();
}

const scene = (
  tells: string,
  playInVirtualTime: VirtualScene['playInVirtualTime'],
  expected: Ending,
): VirtualScene => ({ tells, sandbox: NEVER_EXPIRES, playInVirtualTime, expected });

/** Scenes of a session's last polls, and of odd reports before them. */
export const lastLookScenes: Scenes = {
  'signed-in-an-outage-at-the-deadline': scene(
    'the PAD is signed just before its deadline, and an outage lasts until hours after it',
    signedInAnOutage,
    ended([OPENED, VALIDATED, COMPLETED]),
  ),
  'never-looked-at-again': scene(
    'the service is down from before the deadline until the end is put off no longer',
    neverBack,
    ended([OPENED, VALIDATED], { unverified: true }),
  ),
  'odd-status-after-validation': scene(
    'a status that is not known comes between validation and signature',
    oddOnDayTwo,
    ended([OPENED, VALIDATED, `${UNKNOWN} poll`, VALIDATED, COMPLETED], { anomalies: ['unknownStatus'] }),
  ),
  'denied-to-cancels': scene(
    'the service denies the session to cancels, while its details show it',
    deniedToCancels,
    ended([OPENED, CANCELLED], { cancel: 'caller: cancelled' }),
  ),
  'code-of-another-kind': scene(
    'an e-Transfer is reported with a code that it cannot have, and then without it',
    codeOfAnotherKind,
    ended(['Initiated create', VALIDATED, 'Completed poll'], { anomalies: ['unknownCode'] }),
  ),
};
