import type { KeysPlan, KeyStep, Moment, Plan, Point, SessionPlan } from '../plan/plan';

/**
 * The plans that detect planted bugs. With the current code, they violate no invariant. With a planted bug, the bug's plan must violate
 * one.
 */

const details = (occurrence: number): Point => ({ call: 'details', occurrence });
const create = (occurrence: number): Point => ({ call: 'create', occurrence });
const cancel = (occurrence: number): Point => ({ call: 'cancel', occurrence });

const session = (changes: Partial<SessionPlan>): SessionPlan => ({
  kind: 'EFT',
  onUnknownCreate: 'retry',
  opens: false,
  hasPage: false,
  sharesReference: false,
  payor: [{ at: details(3), does: 'completed' }],
  faults: [],
  strikes: [],
  acts: [],
  decision: 'retry',
  ...changes,
});

const plan = (...sessions: readonly Partial<SessionPlan>[]): Plan => ({
  sessions: sessions.map(session),
  authorizes: [],
});

/** Returns a plan of one key with these steps. */
const ofKey = (
  faults: SessionPlan['faults'],
  ...steps: readonly (readonly [KeyStep, Moment])[]
): KeysPlan => ({
  keys: [{ onUnknownCreate: 'park', faults, strikes: [] }],
  steps: steps.map(([does, when]) => ({ key: 0, when, does })),
});

const LONG_CANCEL: SessionPlan['faults'] = [1, 2, 3].map((occurrence) => ({
  at: cancel(occurrence),
  fault: 'notFound',
}));

export const PLANS = {
  creates: plan(
    { faults: [{ at: create(1), fault: 'resetAfterRead' }] },
    { faults: [{ at: create(1), fault: 'status500Processed' }] },
    { faults: [{ at: create(1), fault: 'limitSeconds' }] },
    { onUnknownCreate: 'park', faults: [{ at: create(1), fault: 'resetAfterRead' }] },
    { onUnknownCreate: 'park', decision: 'adopt', faults: [{ at: create(1), fault: 'truncated' }] },
  ),
  cancels: plan(
    { payor: [{ at: details(6), does: 'completed' }], acts: [{ at: details(2), act: 'cancelBySignal' }] },
    { payor: [{ at: details(6), does: 'completed' }], acts: [{ at: details(2), act: 'cancelByUpdate' }] },
    { payor: [{ at: details(6), does: 'completed' }], acts: [{ at: details(2), act: 'cancelByWorkflow' }] },
    { payor: [{ at: details(6), does: 'completed' }], acts: [{ at: details(2), act: 'cancelPoisoned' }] },
    { payor: [{ at: cancel(1), does: 'completed' }], acts: [{ at: details(2), act: 'cancelBySignal' }] },
  ),
  longCancels: plan({
    payor: [{ at: details(30), does: 'completed' }],
    faults: LONG_CANCEL,
    acts: [
      { at: details(1), act: 'cancelBySignal' },
      { at: cancel(1), act: 'signalFlood' },
    ],
  }),
  states: plan(
    {
      payor: [
        { at: details(2), does: 'bankValidated' },
        { at: details(7), does: 'padSigned' },
      ],
      faults: [{ at: details(5), fault: 'backwardStatus' }],
    },
    { faults: [{ at: details(2), fault: 'unknownStatus' }] },
    { faults: [{ at: details(2), fault: 'wrongSession' }] },
    { kind: 'e-Transfer' },
    { kind: 'GEFT', payor: [{ at: details(2), does: 'loginFailed' }] },
  ),
  secrets: plan({ kind: 'GEFT', faults: [{ at: details(2), fault: 'echo' }] }),
  pace: plan(
    { faults: [{ at: details(2), fault: 'limitAbsurd' }], payor: [{ at: details(6), does: 'completed' }] },
    { payor: [{ at: details(40), does: 'completed' }] },
  ),
  refreshes: plan(
    {
      hasPage: true,
      acts: [{ at: details(1), act: 'refresh' }],
      payor: [{ at: details(6), does: 'completed' }],
    },
    { acts: [{ at: details(1), act: 'refreshStorm' }], payor: [{ at: details(6), does: 'completed' }] },
    { acts: [{ at: details(1), act: 'refresh' }], payor: [{ at: details(40), does: 'completed' }] },
  ),
  floods: plan(
    {
      acts: [
        { at: details(1), act: 'signalFlood' },
        { at: details(4), act: 'refresh' },
      ],
      payor: [{ at: details(10), does: 'completed' }],
    },
    {
      acts: [
        { at: details(1), act: 'duplicateStart' },
        { at: details(2), act: 'conflictingStart' },
        { at: details(3), act: 'poisonedMessages' },
      ],
      payor: [{ at: details(8), does: 'completed' }],
    },
  ),
  handover: plan(
    {
      payor: [{ at: details(12), does: 'completed' }],
      strikes: [{ at: details(3), stage: 'afterResponse', strike: 'terminateWorker' }],
    },
    ...Array.from({ length: 5 }, () => ({ payor: [{ at: details(12), does: 'completed' as const }] })),
  ),
  /** Each session is paid after its deadline, while no worker is running. */
  leftAlone: {
    ...plan(
      {
        deadline: 'signature',
        payor: [
          { at: details(1), does: 'bankValidated' },
          { at: 'away', does: 'padSigned' },
        ],
      },
      { deadline: 'overall', payor: [{ at: 'away', does: 'completed' }] },
      { deadline: 'overall', payor: [] },
    ),
    away: { who: 'workers', seconds: 80 },
  },
  /**
   * An operator adopts the first key's open session for the second key, by mistake. The second key's create request has made no session.
   */
  alike: plan(
    { sharesReference: true, payor: [{ at: details(12), does: 'completed' }] },
    {
      sharesReference: true,
      onUnknownCreate: 'park',
      decision: 'adoptOpen',
      faults: [{ at: create(1), fault: 'resetBeforeRead' }],
    },
  ),
  lostBefore: plan({ strikes: [{ at: create(1), stage: 'beforeSend', strike: 'killWorker' }] }),
  resets: plan(
    { payor: [{ at: details(6), does: 'completed' }], acts: [{ at: details(2), act: 'resetToStart' }] },
    { payor: [{ at: details(6), does: 'completed' }], acts: [{ at: details(2), act: 'resetToNow' }] },
  ),
  lostWorker: plan({ strikes: [{ at: create(1), stage: 'afterSend', strike: 'killWorker' }] }),
  /**
   * In this plan and the next one, Temporal drops the workflow of a key whose session still exists. Here, the session is open. In the next
   * plan, it is parked.
   */
  forgottenOpen: ofKey(
    [],
    ['start', 'now'],
    ['terminate', 'open'],
    ['sweep', 'soon'],
    ['drop', 'soon'],
    ['start', 'now'],
  ),
  forgottenParked: ofKey(
    [{ at: create(1), fault: 'resetAfterRead' }],
    ['start', 'now'],
    ['terminate', 'over'],
    ['sweep', 'soon'],
    ['drop', 'soon'],
    ['start', 'now'],
    ['pay', 'over'],
  ),
  /**
   * A key is cancelled before its create request, and started again with another request. Then the ledger is restored to a moment before
   * both.
   */
  usedAgain: ofKey(
    [{ at: create(1), fault: 'limitSeconds' }],
    ['copyLedger', 'now'],
    ['start', 'now'],
    ['cancel', 'sent'],
    ['startOther', 'over'],
    ['restoreLedger', 'open'],
    ['sweep', 'soon'],
    ['pay', 'soon'],
  ),
  /**
   * The service asks the session to wait after its first create request. The answer to the second create request is lost. Then Temporal is
   * restored to the moment of the wait.
   */
  restoredWait: ofKey(
    [
      { at: create(1), fault: 'limitSeconds' },
      { at: create(2), fault: 'resetAfterRead' },
    ],
    ['start', 'now'],
    ['sweep', 'sent'],
    ['copyTemporal', 'soon'],
    ['restoreTemporal', 'over'],
    ['pay', 'over'],
  ),
} satisfies Record<string, Plan | KeysPlan>;

export type PlanName = keyof typeof PLANS;
