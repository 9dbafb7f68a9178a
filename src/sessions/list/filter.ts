/** Filters of lists of sessions, as conditions of the Temporal server's index. */
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
 * Conditions of a list. A listed session meets all of them. A text must not begin with a quotation mark, an apostrophe, a backslash, a
 * question mark, a line break or a tab, nor end with an apostrophe, because Temporal's index does not find such a text.
 */
export interface SessionFilter {
  /** Only sessions whose last status is this one. */
  readonly status?: string;
  /** Only sessions whose last code is this one; `null`: only those without a code. */
  readonly code?: string | null;
  /** Only sessions of this kind. */
  readonly kind?: SessionKind;
  /** Only sessions with this reference. Sessions with `indexReference: false` are not found by it. */
  readonly referenceId?: string;
  /**
   * Only sessions with all of these metadata, such as `{ customer: 'cus_42' }`. Sessions are found by the metadata that their policy makes
   * searchable.
   */
  readonly metadata?: Metadata;
  /** Only sessions of this account; `default` for sessions whose input names no account. */
  readonly account?: string;
  /** Only sessions whose id at the payment service begins with these eight characters, in lower case. */
  readonly shortId?: string;
  /**
   * Only sessions in this phase. A session that is being cancelled is found as `open` until one of its calls has failed, because most
   * cancellations are settled at once.
   */
  readonly phase?: SessionPhase;
  /** Only sessions with this problem, or that failed with this error code. */
  readonly problem?: SessionProblem | ErrorCode;
  /** Only sessions that are still running (true), or only those that have ended (false). */
  readonly running?: boolean;
  /** True: only runs that the ledger has answered, because the key's session had ended before the run began. False: only the other runs. */
  readonly answered?: boolean;
  /** Only sessions whose current run started after this time, as `startedAt` of {@link SessionSummary}. */
  readonly startedAfter?: Date;
  /** Only sessions whose current run started before this time. */
  readonly startedBefore?: Date;
  /** Only sessions that ended at this time or after it. */
  readonly endedAfter?: Date;
}

/**
 * Returns the conditions that a query joins by AND. Sessions that do not match the filter may meet them too: compare the answers with
 * {@link isMatch}. Throws `PaysessionError` `INVALID_FILTER` that lists every failure.
 */
export function conditionsOf(filter: SessionFilter): readonly string[] {
  // Callers may use JavaScript, and pass on text that a person typed.
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

/** True for a time from 1970 to 2199. Some Temporal servers' indexes know no time before 1970, or none after 2262. */
export const isIndexed = (time: Date): boolean => time.getTime() >= 0 && time.getTime() < NEVER_MS;

const equal = (name: string, value: string | undefined): string[] => {
  const asked = value === undefined ? undefined : textCondition(name, value);
  return asked === undefined ? [] : [asked.condition];
};

/** The text fields, with the search attributes that hold them. */
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
 * True if a session that meets the conditions also has the filter's texts and metadata. The conditions compare only the beginnings of
 * some texts, and SQLite ignores the case of letters in metadata.
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

/** True if every session that meets the conditions matches the filter. */
export const isExact = (filter: SessionFilter): boolean =>
  filter.metadata === undefined &&
  TEXT_FIELDS.every(
    (field) => filter[field] == null || textCondition(TEXTS[field], filter[field])?.isExact === true,
  );

export const quotedTime = (time: Date): string => quoted(time.toISOString());

const ANSWERED = `${SEARCH_ATTRIBUTES.phase} = ${quoted(ANSWERED_PHASE)}`;
/** A workflow that no worker has begun may have no phase. In SQL, `!=` does not match a missing value. */
const NOT_ANSWERED = `(${SEARCH_ATTRIBUTES.phase} != ${quoted(ANSWERED_PHASE)} OR ${SEARCH_ATTRIBUTES.phase} IS NULL)`;

/** The statuses of a closed workflow. A workflow that continued as new is still followed. */
const CLOSED = `('Completed', 'Failed', 'Canceled', 'Terminated', 'TimedOut')`;

/**
 * A time after any close. In SQL, a running workflow counts as closing at the end of the year 9999. Elasticsearch knows no time after
 * 2262.
 */
const NEVER_MS = Date.UTC(2200, 0);
const NEVER = quotedTime(new Date(NEVER_MS));

/** The close time lets an SQL index find the ended workflows without walking through all running ones. */
const isRunning = (running: boolean): string =>
  running ? "ExecutionStatus = 'Running'" : `ExecutionStatus IN ${CLOSED} AND CloseTime < ${NEVER}`;

/**
 * Written this way, the condition lets an SQL index search by another value of the filter: few sessions are parked, and most may be
 * running.
 */
const NOT_ENDED = `ExecutionStatus NOT IN ${CLOSED}`;

const hasValue = (filter: SessionFilter): boolean =>
  filter.kind !== undefined ||
  filter.metadata !== undefined ||
  TEXT_FIELDS.some((field) => filter[field] !== undefined);

/** Returns the conditions for a phase. A workflow that was closed from outside could not record its last phase. */
function inPhase(phase: SessionPhase): string[] {
  if (phase === 'ended') return [isRunning(false)];
  return [NOT_ENDED, ...equal(SEARCH_ATTRIBUTES.phase, phase)];
}

/** True if only sessions that have ended match. */
export const isOfEnded = ({ running, phase, endedAfter }: SessionFilter): boolean =>
  running === false || phase === 'ended' || endedAfter !== undefined;

/** Returns the Temporal server's query for the open sessions of a task queue. `isExactText` must be true for the queue's name. */
export const openSessionsOn = (taskQueue: string): string =>
  [...equal('WorkflowType', WORKFLOW_TYPE), isRunning(true), ...equal('TaskQueue', taskQueue)].join(' AND ');
