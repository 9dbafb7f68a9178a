import { eft, geft } from '../../../support/requests';
import { stateOf, until } from '../../../support/wait';
import { acts, completes, ends, hasTrouble, isCode, RARELY, reports } from '../acts';
import { COMPLETED, ended, OPENED, stays, UNKNOWN, VALIDATED } from '../ending';
import type { SessionRequest } from '../../../../src';
import type { LiveScene, LiveStage, Scenes } from '../scene';

const staysInitiated = eft('sandbox-stays-initiated');

/** The service sends a strange report. After the session has recorded it, the payor completes. */
async function oddThenCompletes(stage: LiveStage, odd: Readonly<Record<string, unknown>>): Promise<void> {
  const { session, sessionId } = await stage.open(staysInitiated);
  reports(stage, odd);
  await stateOf(session, ({ anomalies }) => anomalies.length > 0);
  completes(stage, sessionId);
  stage.sandbox.clearFaults();
  await ends(session);
}

const signedLater = (request: SessionRequest): LiveScene => ({
  tells: 'EFT0302, then EFT0301',
  play: async (stage) => {
    const { session, sessionId } = await stage.open(request);
    acts(stage, sessionId, 'payorStarted', 'bankValidated');
    await isCode(session, 'EFT0302');
    acts(stage, sessionId, 'padSigned');
    await ends(session);
  },
  expected: ended([OPENED, VALIDATED, COMPLETED]),
});

const { amount: _amount, ...withoutAmount } = geft();

/** Scenes of reports outside the contract, late signatures, refreshes, and failed or postponed polls. */
export const oddityScenes: Scenes = {
  'unknown-status': {
    tells: 'a status that is not known is carried and flagged',
    play: (stage) => oddThenCompletes(stage, { status: 'Reviewing', statusDetails: 'EFT0101' }),
    expected: ended([OPENED, `${UNKNOWN}/EFT0101 poll`, COMPLETED], { anomalies: ['unknownStatus'] }),
  },
  'unknown-code': {
    tells: 'a code that is not known is carried and flagged',
    play: (stage) => oddThenCompletes(stage, { status: 'Initiated', statusDetails: 'EFT0199' }),
    expected: ended([OPENED, `Initiated/${UNKNOWN} poll`, COMPLETED], { anomalies: ['unknownCode'] }),
  },
  'unknown-status-and-code': {
    tells: 'neither is known',
    play: (stage) => oddThenCompletes(stage, { status: 'Paused', statusDetails: 'X-1' }),
    expected: ended([OPENED, `${UNKNOWN}/${UNKNOWN} poll`, COMPLETED], {
      anomalies: ['unknownStatus', 'unknownCode'],
    }),
  },
  'completed-without-code': {
    tells: 'a Completed that does not say whether it is paid is followed on',
    play: (stage) => oddThenCompletes(stage, { status: 'Completed' }),
    expected: ended([OPENED, 'Completed poll', COMPLETED], { anomalies: ['missingCode'] }),
  },
  'completed-with-unreadable-code': {
    tells: 'a Completed whose code is no text is followed on',
    play: (stage) => oddThenCompletes(stage, { status: 'Completed', statusDetails: 301 }),
    expected: ended([OPENED, 'Completed poll', COMPLETED], { anomalies: ['unreadableCode'] }),
  },
  'answer-about-another-session': {
    tells: 'an answer about another session is not believed',
    play: (stage) =>
      oddThenCompletes(stage, {
        sessionId: '00000000-0000-4000-8000-000000000000',
        status: 'Completed',
        statusDetails: 'EFT0301',
      }),
    expected: ended([OPENED, COMPLETED], { anomalies: ['wrongSession'] }),
  },
  'backward-status': {
    tells: 'a status that goes backwards is recorded and not applied',
    play: async (stage) => {
      const { session, sessionId } = await stage.open(staysInitiated);
      acts(stage, sessionId, 'payorStarted', 'bankValidated');
      await isCode(session, 'EFT0302');
      reports(stage, { status: 'Initiated', statusDetails: 'EFT0101' });
      await stateOf(session, ({ anomalies }) => anomalies.length > 0);
      acts(stage, sessionId, 'padSigned');
      stage.sandbox.clearFaults();
      await ends(session);
    },
    expected: ended([OPENED, VALIDATED, COMPLETED], { anomalies: ['backwardStatus'] }),
  },
  'session-denied-by-polls': {
    tells: 'the service denies to know an open session, for one poll',
    play: async (stage) => {
      const { session, sessionId } = await stage.open(staysInitiated);
      stage.sandbox.failNext('details', { kind: 'status', status: 404 });
      await stateOf(session, ({ anomalies }) => anomalies.length > 0);
      completes(stage, sessionId);
      await ends(session);
    },
    expected: ended([OPENED, COMPLETED], { anomalies: ['sessionUnknown'] }),
  },
  'eft-signed-later': signedLater(eft('sandbox-stays-initiated')),
  'geft-signed-later': signedLater(geft('sandbox-stays-initiated')),
  'amount-entered-in-the-flow': {
    tells: 'the payor enters the amount',
    play: async (stage) => {
      const { session, sessionId } = await stage.open(withoutAmount);
      acts(stage, sessionId, 'payorStarted');
      stage.sandbox.act(sessionId, { type: 'amountEntered', amount: 31.5 });
      await until(
        () => session.state(),
        ({ amount }) => amount === 31.5,
      );
      acts(stage, sessionId, 'completed');
      await ends(session);
    },
    expected: ended([OPENED, COMPLETED]),
  },
  'still-open': {
    tells: 'an open session between two polls',
    play: ({ open }) => open(staysInitiated, RARELY),
    expected: stays('open', [OPENED]),
  },
  'still-unsigned': {
    tells: 'a session that awaits the PAD signature',
    play: async (stage) => {
      const { session, sessionId } = await stage.open(staysInitiated, { slowestUnsignedPoll: '1h' });
      acts(stage, sessionId, 'payorStarted', 'bankValidated');
      await isCode(session, 'EFT0302');
    },
    expected: stays('open', [OPENED, VALIDATED]),
  },
  refreshed: {
    tells: 'the checkout page’s message brings the next poll forward',
    play: async (stage) => {
      const { session, sessionId } = await stage.open(staysInitiated, RARELY);
      await session.refresh();
      completes(stage, sessionId);
      await session.refresh();
    },
    expected: ended([OPENED, COMPLETED]),
  },
  'refreshed-by-many-at-once': {
    tells: 'many refreshes during a burst are one poll',
    play: async (stage) => {
      const { session } = await stage.open(staysInitiated);
      await Promise.all([session.refresh(), session.refresh(), session.refresh(), session.refresh()]);
      await session.cancelAndWait();
    },
    expected: ended([OPENED, 'Cancelled/EFT0501 cancel'], { cancel: 'caller: cancelled' }),
  },
  'refreshed-while-unsigned': {
    tells: 'a refresh sees the signature at once',
    play: async (stage) => {
      const { session, sessionId } = await stage.open(staysInitiated, { slowestUnsignedPoll: '1h' });
      acts(stage, sessionId, 'payorStarted', 'bankValidated');
      await isCode(session, 'EFT0302');
      acts(stage, sessionId, 'padSigned');
      await session.refresh();
    },
    expected: ended([OPENED, VALIDATED, COMPLETED]),
  },
  'account-paused': {
    tells: 'the account is at its rate limit: polls are put off',
    world: { account: { callsPerSecond: 0.5 }, waitsForTurn: false },
    play: async (stage) => {
      const { session, sessionId } = await stage.open(staysInitiated);
      await hasTrouble(session, 'SERVICE_PAUSED');
      completes(stage, sessionId);
      await ends(session);
    },
    expected: ended([OPENED, COMPLETED]),
  },
  'service-down': {
    tells: 'polls fail, and the session says so',
    play: async (stage) => {
      const { session, sessionId } = await stage.open(staysInitiated);
      stage.sandbox.failNext('details', { kind: 'reset', phase: 'before' }, 2);
      await hasTrouble(session, 'SERVICE_INTERRUPTED');
      completes(stage, sessionId);
      await ends(session);
    },
    expected: ended([OPENED, COMPLETED]),
  },
};
