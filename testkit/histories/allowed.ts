import type { PaymentActivities } from '../../src/protocol/activities';
import {
  ABOUT_TO_SEND,
  ABOUT_TO_SEND_ON_LEDGER,
  DEFAULT_ACCOUNT,
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
import type { AdoptPreview, PreviewAdopt } from '../../src/protocol/adopt-preview';
import type { DecidedBy, ResolveCreate } from '../../src/protocol/decisions';
import type { SessionRecord } from '../../workflows/record/session-record';
import { isSessionCode, isSessionStatus, PROVINCES } from '../../src/contract';
import { ERROR_CODES, isErrorCode } from '../../src/errors';
import { toMilliseconds } from '../../src/protocol/duration';
import type { PaymentSessionInput } from '../../src/protocol/input';
import { SEARCH_ATTRIBUTES } from '../../src/protocol/temporal/search-attributes';

/**
 * The lists that decide which names, texts and numbers of a session's history `exportSession` keeps. All others may say something about a
 * person, so the export replaces them by fakes.
 */

/** Fields whose texts are kept if they are times, or words of the contract or of this package. */
const WORDS = [
  ...['account', 'type', 'direction', 'currency', 'language', 'mode', 'province', 'country'],
  ...['onUnknownCreate', 'phase', 'status', 'code', 'kind', 'firstSeenAt', 'source', 'at', 'requestedAt'],
  ...['by', 'outcome', 'until', 'since', 'decision', 'result', 'createdAt', 'problem', 'differences'],
  ...['untold'],
] as const;
/** Fields whose texts and numbers are kept if they are durations. */
const DURATIONS = [
  ...['fastestPoll', 'slowestPoll', 'slowestUnsignedPoll', 'refreshSpacing', 'deadline'],
  ...['padSignatureDeadline', 'unverifiedAfter'],
] as const;
/** Fields whose numbers are kept. */
const NUMBERS = [
  ...['amount', 'minimumAmount', 'maximumAmount', 'status', 'deadlineFromMs', 'changedAtMs', 'lookedAtMs'],
  ...['validatedAtMs', 'furthest', 'revision', 'possibleOrphans', 'failures', 'fastestMs', 'slowestMs'],
  ...['steadyMs', 'sinceChangeMs', 'forMs', 'heldUpToMs', 'sinceLookMs', 'lookedAfterMs', 'changeDelayMs'],
  ...['withinMs', 'lostCreates', 'states', 'waitedMs', 'retryAfterMs', 'atMs'],
] as const;
/** Fields whose names are kept. Their values are replaced, except for true and false, and known words in `detail`. */
const NAMES = [
  ...['key', 'request', 'policy', 'referenceId', 'options', 'guarantee', 'enable'],
  ...['notificationPreferences', 'sendNetworkLink', 'showConsentScreen', 'limits', 'amountModification'],
  ...['redirectPreferences', 'urlSuccess', 'urlExit', 'payor', 'firstName', 'middleName', 'lastName'],
  ...['email', 'occupation', 'birthDate', 'address', 'addressLine1', 'addressLine2', 'unit', 'city'],
  ...['postalCode', 'payee', 'accountNumber', 'transitNumber', 'institutionCode', 'accountLabel'],
  ...['indexReference', 'paid', 'unreadableCode', 'sessionId', 'checkoutUrl', 'findings', 'parked'],
  ...['ended', 'answered', 'unsigned', 'unverified', 'state', 'stateHistory', 'anomalies', 'detail'],
  ...[
    'cancel',
    'trouble',
    'decisions',
    'park',
    'parks',
    'id',
    'kept',
    'reason',
    'failure',
    'message',
    'title',
  ],
  ...['instance', 'errors', 'isClaimed', 'retry', 'abandon', 'known', 'cadence', 'atOnce', 'urgent'],
  ...[
    'runId',
    'claim',
    'firstRunId',
    'onLedger',
    'answeredByLedger',
    'isStartCounted',
    'denials',
    'expected',
  ],
  ...['snapshot', 'identity'],
  ...['followedBy', 'isUnclear', 'maybeFollowedBy', 'onlyLook', 'onlyNew', 'isRepeated', 'guaranteed'],
  ...['adoptable', 'refusal', 'asked', 'found', 'metadata', 'searchableMetadata', 'searchable'],
] as const;

/** Words that say nothing about a person. */
const VOCABULARY: ReadonlySet<string> = new Set([
  ...[...SESSION_PHASES, ...PROVINCES, DEFAULT_ACCOUNT, UNREADABLE],
  // A code that the service's specification does not list: contract rule A41 (docs/contract.md).
  'EFT0402',
  ...['EFT', 'GEFT', 'e-Transfer', 'DEBIT', 'CREDIT', 'CAD', 'CA', 'EN', 'FR', 'JsEvents', 'RedirectUri'],
  ...['park', 'retry', 'unknownStatus', 'unknownCode', 'unreadableCode', 'missingCode', 'backwardStatus'],
  ...['possibleOrphan', 'sessionUnknown', 'wrongSession', 'recordFull', 'create', 'poll', 'cancel'],
  ...['caller', 'deadline', 'adopt', 'abandon', 'refresh', 'reveal', 'applied', 'pending', 'type'],
  ...['direction', 'referenceId', 'amount', 'created', 'notSent', 'notAuthenticated', 'rejected'],
  ...['unknown', 'seen', 'failed', 'interrupted', 'answered', 'refused', 'found', 'cancelled'],
  ...['neverCreated', 'possiblyCreated', 'alreadyEnded', 'lostToCompletion', 'lostToFailure'],
  ...['lostToExpiry'],
]);

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;

/**
 * Texts of this package that are kept in any field: the meanings of error codes, and the heartbeats of the activity `createSession`. A replay
 * of a session whose create request was lost depends on these heartbeats.
 */
const OWN_TEXTS: ReadonlySet<string> = new Set([
  ...['', ABOUT_TO_SEND, ABOUT_TO_SEND_ON_LEDGER],
  ...Object.values(ERROR_CODES).map(({ meaning }) => meaning),
]);

/** The words in the texts with which a workflow describes anomalies. They are kept, because a replay compares these texts. */
const DETAIL_WORDS: ReadonlySet<string> = new Set(
  'only the first states anomalies decisions refreshes and reveals are kept with to nothing it is not a text of characters'.split(
    ' ',
  ),
);

/** For each search attribute, the field with the same values. */
const SEARCHED: Readonly<Record<keyof typeof SEARCH_ATTRIBUTES, FieldName>> = {
  ...{ status: 'status', code: 'code', kind: 'kind', account: 'account', phase: 'phase', problem: 'problem' },
  ...{ shortId: 'sessionId', reference: 'referenceId', changeDelay: 'changeDelayMs', metadata: 'metadata' },
};
const FIELD_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(SEARCHED).map(([key, field]) => [SEARCH_ATTRIBUTES[key as keyof typeof SEARCHED], field]),
);

const words: ReadonlySet<string> = new Set(WORDS);
const durations: ReadonlySet<string> = new Set(DURATIONS);
const numbers: ReadonlySet<string> = new Set(NUMBERS);
const names: ReadonlySet<string> = new Set([
  ...WORDS,
  ...DURATIONS,
  ...NUMBERS,
  ...NAMES,
  ...FIELD_OF.keys(),
]);

/** Fields whose texts are names of metadata fields. */
export const NAMES_OF_METADATA: ReadonlySet<string> = new Set(['searchableMetadata', 'searchable']);

/** True if a field of a session's payloads or a search attribute has this name. */
export const isAllowedName = (name: string): boolean => names.has(name);

/** True if a text in the field or search attribute `name` says nothing about a person. */
export function isAllowedText(value: string, name: string): boolean {
  if (isOwnText(value)) return true;
  const field = FIELD_OF.get(name) ?? name;
  if (durations.has(field)) return toMilliseconds(value) !== undefined;
  if (field === 'detail') return value.split(/[\s/]|: /).every(isWordOfDetail);
  return words.has(field) && isWord(value);
}

/** True if an export keeps the numbers of this field. */
export function keepsNumbers(name: string): boolean {
  const field = FIELD_OF.get(name) ?? name;
  return numbers.has(field) || durations.has(field);
}

/** True if the text is one of this package's own texts, which are kept in any field. */
export function isOwnText(value: string): boolean {
  return OWN_TEXTS.has(value) || isErrorCode(value);
}

function isWord(value: string): boolean {
  const isKnown = isSessionStatus(value) || isSessionCode(value) || isSessionProblem(value);
  return isKnown || VOCABULARY.has(value) || TIME.test(value);
}

const isWordOfDetail = (word: string): boolean =>
  DETAIL_WORDS.has(word) || isWord(word) || /^\d{1,3}$/.test(word);

/** All types of values in a session's payloads. */
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

/** The names of a type's members, at any depth. Keys of a map are left out, because a caller may choose them. */
type NamesIn<T> = T extends string | number | boolean | null | undefined
  ? never
  : T extends readonly (infer Item)[]
    ? NamesIn<Item>
    : T extends object
      ? { [K in keyof T & string]-?: string extends K ? never : K | NamesIn<T[K]> }[keyof T & string]
      : never;

type Listed = (typeof WORDS | typeof DURATIONS | typeof NUMBERS | typeof NAMES)[number];

/** The name of a field in a session's payloads. If a field is not in the lists above, this does not compile. */
type FieldName<Name extends Listed = NamesIn<Payloads>> = Name;
