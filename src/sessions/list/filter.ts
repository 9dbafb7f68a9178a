/** Converts filters of session lists to conditions of the Temporal server's visibility index. */
import { textFault } from '../../contract/values/text';
import { isErrorCode, listFailures, PaysessionError, type ErrorCode } from '../../errors';
import { ANSWERED_PHASE, WORKFLOW_TYPE } from '../../protocol/names';
import { isSessionProblem, PROBLEMS, type SessionProblem } from '../../protocol/state/problems';
import { isSessionPhase, SESSION_PHASES, type SessionPhase } from '../../protocol/state/recorded';
import { booleanFault } from '../../protocol/input';
import { metadataWords, soughtFailures, type Metadata } from '../../protocol/metadata';
import { isLookedFor, NOT_LOOKED_FOR, quoted, textCondition } from '../../protocol/temporal/query-text';
import { isSessionKind, SESSION_KINDS, type SessionKind } from '../../contract/statuses';
import { SEARCH_ATTRIBUTES } from '../../protocol/temporal/search-attributes';
import { memberFailures, type RulesOf } from '../calls/options';

/**
 * The conditions of a list. Only sessions that meet all of them are listed.
 *
 * Temporal's index cannot find some texts. So a text must not begin with a quotation mark, an apostrophe, a backslash, a question mark, a
 * line break or a tab. It must not end with an apostrophe.
 */
export interface SessionFilter {
  /** Only sessions with this last status. */
  readonly status?: string;
  /** Only sessions with this last code. `null` means only sessions without a code. */
  readonly code?: string | null;
  /** Only sessions of this kind. */
  readonly kind?: SessionKind;
  /** Only sessions with this reference. Does not find sessions with the policy `indexReference: false`. */
  readonly referenceId?: string;
  /**
   * Only sessions with all of these metadata, such as `{ customer: 'cus_42' }`. Compares only metadata that the session's policy makes
   * searchable.
   */
  readonly metadata?: Metadata;
  /** Only sessions of this account. Sessions whose input names no account have the account `default`. */
  readonly account?: string;
  /** Only sessions whose id at the payment service begins with these eight characters, in lower case. */
  readonly shortId?: string;
  /**
   * Only sessions in this phase. A session that is being cancelled is usually listed as `open`. It is listed as `cancelling` only after one
   * of its calls has failed.
   */
  readonly phase?: SessionPhase;
  /** Only sessions with this problem, or sessions that failed with this error code. */
  readonly problem?: SessionProblem | ErrorCode;
  /** `true`: only sessions that are still running. `false`: only sessions that have ended. */
  readonly running?: boolean;
  /**
   * `true`: only runs that opened no session, because the ledger showed that the key's session had already ended. `false`: only all other
   * runs.
   */
  readonly answered?: boolean;
  /** Only sessions whose current run started after this time; see `startedAt` of {@link SessionSummary}. */
  readonly startedAfter?: Date;
  /** Only sessions whose current run started before this time. */
  readonly startedBefore?: Date;
  /** Only sessions that ended at this time or after it. */
  readonly endedAfter?: Date;
}

/**
 * Returns the conditions of the filter, which a query joins by AND. The query may also find sessions that do not match the filter, so check
 * each found session with {@link isMatch}. Throws `PaysessionError` `INVALID_FILTER` that lists every failure.
 */
export function conditionsOf(filter: SessionFilter): readonly string[] {
  // Callers may use JavaScript, and may pass on a text that a person has typed.
  const failures = memberFailures('the filter', filter, FIELDS);
  if (failures.length > 0)
    throw new PaysessionError('INVALID_FILTER', `The filter is malformed: ${listFailures(failures)}`);
  const { kind, phase, problem } = filter;
  const { running, answered, startedAfter, startedBefore, endedAfter } = filter;
  return [
    ...equal('WorkflowType', WORKFLOW_TYPE),
    ...(filter.code === null ? [`${TEXTS.code} IS NULL`] : []),
    ...TEXT_FIELDS.flatMap((field) => equal(TEXTS[field], filter[field] ?? undefined)),
    ...metadataWords(filter.metadata ?? {}).flatMap((word) => equal(SEARCH_ATTRIBUTES.metadata, word)),
    ...equal(SEARCH_ATTRIBUTES.kind, kind),
    ...(phase === undefined ? [] : inPhase(phase)),
    ...equal(SEARCH_ATTRIBUTES.problem, problem),
    ...(running === undefined ? [] : [running && hasValue(filter) ? NOT_ENDED : isRunning(running)]),
    ...(answered === undefined ? [] : [answered ? ANSWERED : NOT_ANSWERED]),
    "ExecutionStatus != 'ContinuedAsNew'",
    ...(startedAfter === undefined ? [] : [`StartTime > ${quotedTime(startedAfter)}`]),
    ...(startedBefore === undefined ? [] : [`StartTime < ${quotedTime(startedBefore)}`]),
    ...(endedAfter === undefined ? [] : [isRunning(false), `CloseTime >= ${quotedTime(endedAfter)}`]),
  ];
}

const FIELDS: RulesOf<SessionFilter> = {
  status: soughtTextFault,
  code: (value) => (value === null ? undefined : soughtTextFault(value)),
  kind: oneOf(isSessionKind, SESSION_KINDS),
  referenceId: soughtTextFault,
  metadata: soughtFault,
  account: soughtTextFault,
  shortId: soughtTextFault,
  phase: oneOf(isSessionPhase, SESSION_PHASES),
  problem: oneOf(
    (text) => isSessionProblem(text) || isErrorCode(text),
    [...Object.keys(PROBLEMS), 'an error code'],
  ),
  running: booleanFault,
  answered: booleanFault,
  startedAfter: timeFault,
  startedBefore: timeFault,
  endedAfter: timeFault,
};

/** The maximum length of a text in the Temporal server's index. */
export const MAX_TEXT_LENGTH = 255;

function soughtTextFault(value: unknown): string | undefined {
  return textFault(value, MAX_TEXT_LENGTH) ?? (isLookedFor(String(value)) ? undefined : NOT_LOOKED_FOR);
}

function soughtFault(metadata: unknown): string | undefined {
  if (metadata === null) return 'must be an object';
  const [failure] = soughtFailures(metadata);
  return failure && (failure.path === 'metadata' ? failure.message : `${failure.path} ${failure.message}`);
}

function oneOf(isKnown: (text: string) => boolean, names: readonly string[]) {
  const message = `must be one of ${names.join(', ')}`;
  return (value: unknown) => (typeof value === 'string' && isKnown(value) ? undefined : message);
}

function timeFault(value: unknown): string | undefined {
  if (!(value instanceof Date) || Number.isNaN(value.getTime())) return 'must be a valid Date';
  return isIndexed(value) ? undefined : 'must be from 1970 to 2199';
}

/** True for a time from 1970 to 2199. The indexes of some Temporal servers cannot store times before 1970 or after 2262. */
export const isIndexed = (time: Date): boolean => time.getTime() >= 0 && time.getTime() < NEVER_MS;

const equal = (name: string, value: string | undefined): string[] => {
  const asked = value === undefined ? undefined : textCondition(name, value);
  return asked === undefined ? [] : [asked.condition];
};

/** The text fields of a filter, and the search attribute of each. */
const TEXTS = {
  status: SEARCH_ATTRIBUTES.status,
  code: SEARCH_ATTRIBUTES.code,
  referenceId: SEARCH_ATTRIBUTES.reference,
  account: SEARCH_ATTRIBUTES.account,
  shortId: SEARCH_ATTRIBUTES.shortId,
} as const satisfies Partial<Record<keyof SessionFilter, string>>;
type TextField = keyof typeof TEXTS;
const TEXT_FIELDS = Object.keys(TEXTS) as TextField[];

/**
 * True if a session that a query has found really matches the filter. The query compares only the beginnings of some texts, and on SQLite,
 * it ignores the case of letters in metadata.
 */
export function isMatch(
  filter: SessionFilter,
  session: { readonly [Field in TextField]?: string | undefined } & { readonly metadata?: Metadata },
): boolean {
  const { metadata = {} } = session;
  return (
    TEXT_FIELDS.every((field) => filter[field] == null || filter[field] === session[field]) &&
    Object.entries(filter.metadata ?? {}).every(([name, value]) => metadata[name] === value)
  );
}

/** True if a query with the filter's conditions finds only sessions that match the filter. */
export const isExact = (filter: SessionFilter): boolean =>
  filter.metadata === undefined &&
  TEXT_FIELDS.every(
    (field) => filter[field] == null || textCondition(TEXTS[field], filter[field])?.isExact === true,
  );

export const quotedTime = (time: Date): string => quoted(time.toISOString());

const ANSWERED = `${SEARCH_ATTRIBUTES.phase} = ${quoted(ANSWERED_PHASE)}`;
/** In SQL, `!=` does not match a missing value. A workflow that no worker has begun may have no phase, so `IS NULL` is added. */
const NOT_ANSWERED = `(${SEARCH_ATTRIBUTES.phase} != ${quoted(ANSWERED_PHASE)} OR ${SEARCH_ATTRIBUTES.phase} IS NULL)`;

/** The statuses of a closed workflow. A session that continued as new is not closed. */
const CLOSED = `('Completed', 'Failed', 'Canceled', 'Terminated', 'TimedOut')`;

/**
 * A time after the close of any workflow. In SQL databases, a running workflow has a close time at the end of the year 9999. Elasticsearch
 * cannot store times after 2262.
 */
const NEVER_MS = Date.UTC(2200, 0);
const NEVER = quotedTime(new Date(NEVER_MS));

/** The condition on the close time lets an SQL database find the ended workflows without reading all running workflows. */
const isRunning = (running: boolean): string =>
  running ? "ExecutionStatus = 'Running'" : `ExecutionStatus IN ${CLOSED} AND CloseTime < ${NEVER}`;

/**
 * As `isRunning(true)`, but written so that an SQL database searches by another value of the filter instead. For instance, few sessions are
 * parked, whereas most may be running.
 */
const NOT_ENDED = `ExecutionStatus NOT IN ${CLOSED}`;

const hasValue = (filter: SessionFilter): boolean =>
  filter.kind !== undefined ||
  filter.metadata !== undefined ||
  TEXT_FIELDS.some((field) => filter[field] !== undefined);

/**
 * Returns the conditions for a phase. The workflow's status is compared too, because a workflow that was closed from outside still has its
 * old phase.
 */
function inPhase(phase: SessionPhase): string[] {
  if (phase === 'ended') return [isRunning(false)];
  return [NOT_ENDED, ...equal(SEARCH_ATTRIBUTES.phase, phase)];
}

/** True if the filter matches only sessions that have ended. */
export const isOfEnded = ({ running, phase, endedAfter }: SessionFilter): boolean =>
  running === false || phase === 'ended' || endedAfter !== undefined;

/** Returns a query for the running sessions of a task queue. `isExactText` must be true for the queue's name. */
export const openSessionsOn = (taskQueue: string): string =>
  [...equal('WorkflowType', WORKFLOW_TYPE), isRunning(true), ...equal('TaskQueue', taskQueue)].join(' AND ');
