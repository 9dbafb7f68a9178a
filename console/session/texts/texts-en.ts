import { SESSION_CODES, type SessionCode } from '../../../src/contract';
import { PROBLEMS, type SessionProblem } from '../../../src/protocol/state/problems';
import type { Explained } from '../../errors/explained';
import type { Texts } from './texts';

/** Where the command line's remedy is a command, a page has a button, or shows what to look at. */
const OWN_REMEDIES: Readonly<Partial<Record<SessionProblem, string>>> = {
  parked:
    'Look for the session in the payment service’s own records, by its reference, amount and time. Then decide.',
  serviceFailing: 'Check the payment service and the account; the last failure is in the timeline.',
  backwardStatus: 'Compare the timeline with the payment service’s own records.',
};

const problems = Object.fromEntries(
  Object.entries(PROBLEMS).map(([problem, { meaning, remedy }]) => [
    problem,
    { meaning, remedy: OWN_REMEDIES[problem as SessionProblem] ?? remedy },
  ]),
) as Record<SessionProblem, Explained>;

const codes = Object.fromEntries(
  Object.entries(SESSION_CODES).map(([code, { meaning }]) => [code, meaning]),
) as Record<SessionCode, string>;

export const EN: Texts = {
  title: (key) => `Session ${key}`,
  colon: ':',
  facts: {
    amount: 'Amount',
    payorEnters: 'The payor enters it',
    kind: 'Kind',
    reference: 'Reference',
    account: 'Account',
    paid: 'Paid',
    yes: 'Yes',
    no: 'No',
    started: 'Started',
    ended: 'Ended',
    sessionId: 'Id at the payment service',
    unknown: 'Unknown until the session answers',
    none: 'None',
    masked: 'Personal',
  },
  kinds: { EFT: 'EFT', GEFT: 'Guaranteed EFT', 'e-Transfer': 'e-Transfer' },
  sections: {
    standing: 'Where it stands',
    todo: 'What to do',
    timeline: 'Timeline',
    request: 'Request',
    links: 'Links',
  },
  standings: {
    creating: {
      badge: 'Being created',
      meaning: 'The session is being created at the payment service. Nobody can pay yet.',
    },
    parked: {
      badge: 'Waits for a decision',
      meaning:
        'The answer to the create was lost, so the payment service may or may not have the session. Nothing happens until somebody decides.',
    },
    open: { badge: 'Open', meaning: 'The payor can pay, and has not yet.' },
    unsigned: {
      badge: 'Signature missing',
      meaning:
        'The payor’s bank account is validated, and the agreement on pre-authorized debit (PAD) is not signed yet. It is not paid.',
    },
    unclear: {
      badge: 'Completed, unclear',
      meaning:
        'The payment service says that the session is completed, but not whether it is paid. Do not deliver.',
    },
    unknownStatus: {
      badge: 'Unknown status',
      meaning:
        'The payment service reports a status that this version does not know. The session is still followed.',
    },
    cancelling: {
      badge: 'Being cancelled',
      meaning: 'A cancel is on its way to the payment service, whose answer decides.',
    },
    paid: {
      badge: 'Paid',
      meaning:
        'The payor has done their part: the transaction is scheduled. A regular EFT can still come back, for insufficient funds or a dispute; that is not shown here.',
    },
    endedUnsigned: {
      badge: 'Over, unsigned',
      meaning: 'The agreement on pre-authorized debit (PAD) was not signed in time. It is not paid.',
    },
    endedUnclear: {
      badge: 'Over, unclear',
      meaning:
        'The payment service said that the session is completed, but never whether it is paid. Look the payment up there before you deliver.',
    },
    endedUnverified: {
      badge: 'Over, unverified',
      meaning:
        'The session ended at its deadline, and nobody could look at the payment service after it. It may be paid: look it up there before you deliver or release.',
    },
    failed: { badge: 'Failed', meaning: 'The payment failed at the payor’s bank or login. It is not paid.' },
    cancelled: {
      badge: 'Cancelled',
      meaning: 'The session is cancelled. It is not paid, and can no longer be paid.',
    },
    expired: { badge: 'Expired', meaning: 'The payor did not finish in time. It is not paid.' },
    neverOpened: {
      badge: 'Ended with an error',
      meaning: 'The session ended with an error. As far as it knows, it is not paid.',
    },
    terminated: {
      badge: 'Stopped from outside',
      meaning:
        'The session’s workflow was terminated, or timed out. It follows nothing any more: it may still be open at the payment service.',
    },
    over: { badge: 'Over', meaning: 'The session is over. It is not known to be paid.' },
    unknown: { badge: 'Unknown', meaning: 'Where the session stands is not known at the moment.' },
  },
  codes,
  nothingToDo: { meaning: 'Nothing to do.', remedy: 'This session has no known problem.' },
  notKnownNow: {
    meaning: 'Not known at the moment.',
    remedy: 'Problems are shown once the session can be read again.',
  },
  problems,
  silence: {
    engine: {
      heading: 'The Temporal server does not answer',
      body: 'What is shown may be out of date. The page recovers automatically.',
    },
    worker: {
      heading: 'No worker answers for this session',
      body: 'The session waits until one is back, and so does what it was asked for. Its deadline does not wait: a payment that is not created by then never is, and one that nobody can look at may end unverified, a week later by default. The page shows what the Temporal server knows, and recovers automatically.',
    },
    locked: {
      heading: 'The session cannot be read here',
      body: 'Its data is encrypted with a key that this console does not have. Add the key to the console’s keys.',
    },
  },
  notNow: {
    engine: (acts) =>
      `Not possible without the Temporal server: ${acts}. The buttons return once it answers.`,
    worker: (acts) => `Not possible without a worker: ${acts}. The buttons return once one answers.`,
  },
  asOfBefore: 'Last known state:',
  failedCalls: (count) =>
    count === 1 ? '1 call failed or was postponed' : `${count} calls in a row failed or were postponed`,
  timeline: {
    columns: ['When (UTC)', 'What', 'Details'],
    started: 'Started',
    over: 'Workflow ended',
    nextCall: 'Next call',
    seen: 'State',
    sources: {
      create: 'from the create',
      poll: 'from a poll',
      cancel: 'from the cancel',
    },
    cancel: 'Cancel requested',
    cancelBy: { caller: 'by a caller', deadline: 'by the session’s own deadline' },
    trouble: 'Calls failing',
    anomaly: 'Anomaly',
    decision: 'Decision',
    by: (name) => `by ${name}`,
    reason: (reason) => `Reason: ${reason}`,
    unreadableCode: 'with a code that is not text',
  },
  cadence: {
    every: (duration) => `The payment service is polled about every ${duration}.`,
    notOpen: 'The payment service is not polled yet: there is no session there.',
    over: 'The payment service is no longer polled.',
    unknown: 'How often the payment service is polled is not known now.',
  },
  decisions: {
    adopt: 'Adopt a session',
    retry: 'Create again',
    abandon: 'Give up',
    cancel: 'Cancel',
    refresh: 'Refresh',
    reveal: 'Look at personal data',
  },
  outcomes: {
    cancelled: 'The payment service has cancelled the session. It can no longer be paid.',
    neverCreated: 'The cancel came before the create: nothing was created, and nothing will be.',
    possiblyCreated:
      'The cancel came before the next create, but an earlier one had an unknown outcome: look for a session with this reference at the payment service.',
    alreadyEnded: 'The session had already ended. Nothing was changed.',
    lostToCompletion: 'The payor was faster: the session is completed, and the payment stands.',
    lostToFailure: 'The session had failed first. It is not paid.',
    lostToExpiry: 'The session had expired first. It is not paid.',
  },
  pending: 'in progress',
  applied: 'done',
  cancelKept: 'The cancel is recorded. It will be sent once somebody has decided about the lost create.',
  staysParked: 'Nothing was changed: the session is still waiting for a decision.',
  request: {
    columns: ['Field', 'Value'],
    explained: 'Personal data is masked.',
    reveal: 'Show personal data',
    revealed: 'Personal data is shown on this page only. That you viewed it, and why, is recorded.',
    notKept:
      'The session has ended, or its record is full: only the console’s log records that you viewed it.',
    locked:
      'The request is encrypted with a key that this console does not have, so it cannot be shown here.',
    notAnInput: 'The input of this workflow is not a payment request.',
    notRead: 'The request could not be read: the Temporal server does not answer.',
    serviceSaid: 'What the payment service said',
  },
  links: { temporal: 'History in Temporal', checkout: 'The payor’s page' },
  acts: {
    refresh: {
      name: 'Refresh',
      question: 'Poll the payment service for this session now?',
      confirm: 'Poll now',
      hint: 'The payor says they have paid',
      done: 'Refreshed.',
    },
    cancel: {
      name: 'Cancel…',
      question: 'Cancel this session?',
      confirm: 'Cancel the session',
      hint: 'The customer ordered by mistake',
      done: 'Cancel:',
    },
    adopt: {
      name: 'Adopt a session…',
      question: 'Adopt the session that the create opened?',
      confirm: 'Adopt it',
      hint: 'Found in the payment service’s list, same amount and time',
      done: 'Adopted: the session is now followed.',
    },
    retry: {
      name: 'Create again…',
      question: 'Create this session again?',
      confirm: 'Create again',
      hint: 'Not in the payment service’s list',
      done: 'The session is being created again.',
    },
    abandon: {
      name: 'Give up…',
      question: 'Give this session up?',
      confirm: 'Give up',
      hint: 'The customer pays in another way',
      done: 'The session was given up.',
    },
    reveal: {
      name: 'Show personal data…',
      question: 'Show the personal data of this session?',
      confirm: 'Show it',
      hint: 'The payor asks which email address we have',
      done: 'Personal data was shown.',
    },
  },
  cancelConsequence: {
    creating:
      'Nothing will be created at the payment service. A create that is already under way is finished first, and the session that it opens is then cancelled.',
    parked:
      'The cancel is recorded until somebody decides about the lost create. If the decision is to create again, nothing is created; a session that is adopted is then cancelled.',
    open: 'The payor can no longer pay. If they pay first, the payment stands. It cannot be undone: a new payment needs a new key.',
    unsigned:
      'The payor has done their part but for the signature. The payment service refuses to cancel at this point, so most likely nothing changes.',
    over: 'The session has ended: nothing will change.',
  },
  consequences: {
    refresh:
      'The payment service is polled once, immediately. Nothing else changes. While this account’s calls are paused, the answer takes longer.',
    adopt:
      'The worker looks the session up at the payment service. If its type, direction, reference and any fixed amount match, the session is followed from then on. Otherwise nothing changes, and you are told why.',
    retry:
      'The request is sent once more. If the lost create did open a session, there are then two: the first may stay open, and the payor may get two emails.',
    abandon:
      'The session ends with an error, and nothing more is created. If the lost create did open a session, it stays open at the payment service: cancel it there. This cannot be undone.',
    reveal:
      'The request is shown to you once, as it was sent. The session’s record keeps that you viewed it, when and why.',
  },
  form: {
    follows: 'What happens',
    example: (text) => `For example: ${text}`,
    reason: 'Reason (recorded permanently)',
    sessionId: 'Id of the session at the payment service',
    sessionIdHint: 'A UUID, as the payment service’s own records show it',
    back: 'Back without changes',
    reasonMissing: 'Give a reason of at most 500 characters.',
    sessionIdWrong: 'This is not a session id of the payment service: it must be a UUID.',
  },
};
