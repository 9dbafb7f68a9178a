import type { PaymentActivities } from '../../src/protocol/activities/activities';
import {
  ABOUT_TO_SEND,
  ABOUT_TO_SEND_ON_LEDGER,
  DEFAULT_ACCOUNT,
  SEARCH_ATTRIBUTES,
  UNREADABLE,
} from '../../src/protocol/names';
import { isSessionProblem } from '../../src/protocol/state/problems';
import { SESSION_PHASES } from '../../src/protocol/state/recorded';
import type {
  CancelReply,
  FailureDetails,
  OpenedSession,
  RevealReply,
  SessionResult,
} from '../../src/protocol/state/session';
import type { PaymentSessionInput } from '../../src/protocol/input/input';
import type { AdoptPreview, PreviewAdopt } from '../../src/protocol/messages/adopt-preview';
import type { DecidedBy } from '../../src/protocol/messages/decided-by';
import type { ResolveCreate } from '../../src/protocol/messages/resolution';
import type { SessionRecord } from '../../workflows/record/session-record';
import { isSessionCode, isSessionStatus, PROVINCES } from '../../src/contract';
import { ERROR_CODES, isErrorCode } from '../../src/errors';
import { toMilliseconds } from '../../src/protocol/input/duration';

/** Which values of a payload's field say nothing about a person; all others are replaced. */
export interface ExportRule {
  readonly keepsText: (text: string) => boolean;
  /** The text is what a session's id begins with; so is its fake. */
  readonly beginsId?: true;
  readonly keepsNumbers: boolean;
}

/** Everything that a payload of a session holds; a field that is new must be listed below, or this does not compile. */
type Payloads =
  | PaymentSessionInput
  | SessionRecord
  | SessionResult
  | FailureDetails
  | OpenedSession
  | CancelReply
  | RevealReply
  | AdoptPreview
  | PreviewAdopt
  | ResolveCreate
  | DecidedBy
  | Parameters<PaymentActivities[keyof PaymentActivities]>[0]
  | Awaited<ReturnType<PaymentActivities[keyof PaymentActivities]>>;

/** The names of a type's members, however deep; not those of a map, which anybody may choose. */
type NamesIn<T> = T extends string | number | boolean | null | undefined
  ? never
  : T extends readonly (infer Item)[]
    ? NamesIn<Item>
    : T extends object
      ? { [K in keyof T & string]-?: string extends K ? never : K | NamesIn<T[K]> }[keyof T & string]
      : never;

const never = (): boolean => false;
const FAKED: ExportRule = { keepsText: never, keepsNumbers: false };
const NUMBER: ExportRule = { keepsText: never, keepsNumbers: true };
const TIME = text((value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(value));
const DURATION: ExportRule = {
  keepsText: (value) => toMilliseconds(value) !== undefined,
  keepsNumbers: true,
};
const STATUS: ExportRule = { keepsText: isSessionStatus, keepsNumbers: true };
/** Contract A41: a code that the specification does not list. */
const CODE = text((value) => isSessionCode(value) || isErrorCode(value) || value === 'EFT0402');

const CANCEL_OUTCOMES: readonly string[] = [
  ...['cancelled', 'neverCreated', 'possiblyCreated', 'alreadyEnded'],
  ...['lostToCompletion', 'lostToFailure', 'lostToExpiry'],
];
const DECISION_RESULTS: readonly string[] = ['applied', 'pending', ...CANCEL_OUTCOMES];

const FIELDS: Readonly<Record<NamesIn<Payloads>, ExportRule>> = {
  key: FAKED,
  account: oneOf(DEFAULT_ACCOUNT),
  request: FAKED,
  policy: FAKED,
  // The request
  type: oneOf('EFT', 'e-Transfer'),
  direction: oneOf('DEBIT', 'CREDIT'),
  currency: oneOf('CAD'),
  amount: NUMBER,
  referenceId: FAKED,
  options: FAKED,
  guarantee: FAKED,
  enable: FAKED,
  notificationPreferences: FAKED,
  language: oneOf('EN', 'FR'),
  sendNetworkLink: FAKED,
  showConsentScreen: FAKED,
  limits: FAKED,
  minimumAmount: NUMBER,
  maximumAmount: NUMBER,
  amountModification: FAKED,
  redirectPreferences: FAKED,
  mode: oneOf('JsEvents', 'RedirectUri'),
  urlSuccess: FAKED,
  urlExit: FAKED,
  payor: FAKED,
  firstName: FAKED,
  middleName: FAKED,
  lastName: FAKED,
  email: FAKED,
  occupation: FAKED,
  birthDate: FAKED,
  address: FAKED,
  addressLine1: FAKED,
  addressLine2: FAKED,
  unit: FAKED,
  city: FAKED,
  province: oneOf(...PROVINCES),
  country: oneOf('CA'),
  postalCode: FAKED,
  payee: FAKED,
  accountNumber: FAKED,
  transitNumber: FAKED,
  institutionCode: FAKED,
  accountLabel: FAKED,
  // The policy
  fastestPoll: DURATION,
  slowestPoll: DURATION,
  slowestUnsignedPoll: DURATION,
  refreshSpacing: DURATION,
  deadline: DURATION,
  padSignatureDeadline: DURATION,
  unverifiedAfter: DURATION,
  onUnknownCreate: oneOf('park', 'retry'),
  indexReference: FAKED,
  // The record, the state and the result
  phase: oneOf(...SESSION_PHASES),
  status: STATUS,
  code: CODE,
  paid: FAKED,
  unreadableCode: FAKED,
  kind: oneOf(
    ...['EFT', 'GEFT', 'e-Transfer'],
    ...['unknownStatus', 'unknownCode', 'unreadableCode', 'missingCode', 'backwardStatus'],
    ...['possibleOrphan', 'sessionUnknown', 'wrongSession', 'recordFull'],
  ),
  sessionId: FAKED,
  checkoutUrl: FAKED,
  deadlineFromMs: NUMBER,
  changedAtMs: NUMBER,
  lookedAtMs: NUMBER,
  validatedAtMs: NUMBER,
  furthest: NUMBER,
  findings: FAKED,
  parked: FAKED,
  ended: FAKED,
  revision: NUMBER,
  possibleOrphans: NUMBER,
  answered: FAKED,
  unsigned: FAKED,
  unverified: FAKED,
  state: FAKED,
  stateHistory: FAKED,
  firstSeenAt: TIME,
  source: oneOf('create', 'poll', 'cancel'),
  anomalies: FAKED,
  detail: FAKED,
  at: TIME,
  cancel: FAKED,
  requestedAt: TIME,
  by: oneOf('caller', 'deadline'),
  outcome: oneOf(
    ...[
      'created',
      'notSent',
      'notAuthenticated',
      'rejected',
      'unknown',
      'seen',
      'failed',
      'interrupted',
      'answered',
      'refused',
      'found',
    ],
    ...CANCEL_OUTCOMES,
  ),
  trouble: FAKED,
  until: TIME,
  since: TIME,
  failures: NUMBER,
  decisions: FAKED,
  parks: FAKED,
  id: FAKED,
  decision: oneOf('adopt', 'retry', 'abandon', 'cancel', 'refresh', 'reveal'),
  kept: FAKED,
  reason: FAKED,
  result: text((value) => DECISION_RESULTS.includes(value) || isErrorCode(value)),
  failure: FAKED,
  message: FAKED,
  problem: FAKED,
  title: FAKED,
  instance: FAKED,
  errors: FAKED,
  // Messages and activities
  isClaimed: FAKED,
  retry: FAKED,
  abandon: FAKED,
  known: FAKED,
  cadence: FAKED,
  fastestMs: NUMBER,
  slowestMs: NUMBER,
  steadyMs: NUMBER,
  sinceChangeMs: NUMBER,
  forMs: NUMBER,
  heldUpToMs: NUMBER,
  sinceLookMs: NUMBER,
  lookedAfterMs: NUMBER,
  newsDelayMs: NUMBER,
  atOnce: FAKED,
  urgent: FAKED,
  withinMs: NUMBER,
  runId: FAKED,
  claim: FAKED,
  firstRunId: FAKED,
  lostCreates: NUMBER,
  onLedger: FAKED,
  answeredByLedger: FAKED,
  states: NUMBER,
  waitedMs: NUMBER,
  expected: FAKED,
  retryAfterMs: NUMBER,
  snapshot: FAKED,
  identity: FAKED,
  // A create that was lost
  followedBy: FAKED,
  isUnclear: FAKED,
  maybeFollowedBy: FAKED,
  onlyLook: FAKED,
  onlyNew: FAKED,
  isRepeated: FAKED,
  // A look before adopting
  guaranteed: FAKED,
  createdAt: TIME,
  adoptable: FAKED,
  refusal: FAKED,
  asked: FAKED,
  found: FAKED,
  differences: oneOf('type', 'direction', 'referenceId', 'amount'),
  untold: oneOf('type', 'direction', 'referenceId', 'amount'),
};

const SEARCHED: Readonly<Record<keyof typeof SEARCH_ATTRIBUTES, ExportRule>> = {
  status: text((value) => isSessionStatus(value) || value === UNREADABLE),
  code: text((value) => CODE.keepsText(value) || value === UNREADABLE),
  kind: FIELDS.kind,
  account: FIELDS.account,
  shortId: { ...FAKED, beginsId: true },
  reference: FAKED,
  phase: FIELDS.phase,
  problem: text((value) => isSessionProblem(value) || isErrorCode(value)),
  newsDelay: NUMBER,
};

const RULES: ReadonlyMap<string, ExportRule> = new Map([
  ...Object.entries(FIELDS),
  ...Object.entries(SEARCH_ATTRIBUTES).map(
    ([field, name]) => [name, SEARCHED[field as keyof typeof SEARCHED]] as const,
  ),
]);

/** The rule of a field that a session's payloads have; `undefined` for a name that somebody else chose. */
export function exportRule(name: string): ExportRule | undefined {
  return RULES.get(name);
}

/** Meanings of error codes, and what the heartbeats of a create say: a session whose create was lost replays by that. */
const OWN_TEXTS: ReadonlySet<string> = new Set([
  ...Object.values(ERROR_CODES).map(({ meaning }) => meaning),
  ABOUT_TO_SEND,
  ABOUT_TO_SEND_ON_LEDGER,
]);

/** Texts of our own, whatever field they are in. */
export function isOwnText(value: string): boolean {
  return value === '' || isErrorCode(value) || OWN_TEXTS.has(value);
}

function text(keepsText: (value: string) => boolean): ExportRule {
  return { keepsText, keepsNumbers: false };
}

function oneOf(...values: readonly string[]): ExportRule {
  return text((value) => values.includes(value));
}
