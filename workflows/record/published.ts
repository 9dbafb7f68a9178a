/** Publishes a session in Temporal's search attributes, in the current details of Temporal's UI, and in the worker's log. */
import {
  ApplicationFailure,
  log,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { shortSessionId } from '../../src/contract/identity';
import { ERROR_CODES, isErrorCode, type ErrorCode } from '../../src/errors/codes';
import { ANSWERED_PHASE, UNREADABLE } from '../../src/protocol/names';
import { isSessionProblem, PROBLEMS, problemsOf } from '../../src/protocol/state/problems';
import type { SessionPhase } from '../../src/protocol/state/recorded';
import {
  integer,
  keyword,
  keywordList,
  searchable,
  type SessionAttribute,
  currentDetails,
} from '../../src/protocol/temporal/visibility';
import type { PaymentSessionInput } from '../../src/protocol/input';
import { phaseOf, type SessionRecord } from './session-record';
import { SEARCH_ATTRIBUTES } from '../../src/protocol/temporal/search-attributes';

/** Publishes a session that may have changed. `further` are search attributes that do not come from the record. */
export function publishChange(
  record: SessionRecord,
  { key }: PaymentSessionInput,
  further: readonly SessionAttribute<null>[] = [],
): void {
  setCurrentDetails(currentDetails(key, { ...record, phase: phaseOf(record) }));
  upsertDiffering([...further, ...attributesOf(record)]);
}

/** Runs a workflow. If the workflow fails with an error code, publishes the code. */
export async function publishingFailure<T>(workflow: () => Promise<T>): Promise<T> {
  try {
    return await workflow();
  } catch (error) {
    const code = error instanceof ApplicationFailure ? error.type : undefined;
    if (code != null && isErrorCode(code)) publishFailure(code);
    throw error;
  }
}

/**
 * Publishes the end of a failed workflow. Adds the error code to the published problems, and removes the problems that are
 * over now.
 */
function publishFailure(code: ErrorCode): void {
  setCurrentDetails(`failed: ${code}: ${ERROR_CODES[code].remedy}`);
  const problems = workflowInfo().typedSearchAttributes.get(PROBLEM) ?? [];
  const kept = problems.filter((name) => isSessionProblem(name) && !PROBLEMS[name].passes);
  const ended: SessionPhase = 'ended';
  upsertDiffering([
    { key: PHASE, value: published(PHASE) === ANSWERED_PHASE ? ANSWERED_PHASE : ended },
    { key: PROBLEM, value: [...kept, code] },
  ]);
}

const { key: PHASE } = keyword(SEARCH_ATTRIBUTES.phase, null);
const { key: PROBLEM } = keywordList(SEARCH_ATTRIBUTES.problem, null);

function attributesOf(record: SessionRecord): readonly SessionAttribute<null>[] {
  const { status, code, unreadableCode, sessionId, changeDelayMs } = record;
  const problems = problemsOf({ ...record, phase: phaseOf(record) });
  const codeOrNot = code === undefined ? (unreadableCode ? UNREADABLE : null) : searchable(code);
  return [
    keyword(SEARCH_ATTRIBUTES.status, status === undefined ? null : searchable(status)),
    keyword(SEARCH_ATTRIBUTES.code, codeOrNot),
    keyword(SEARCH_ATTRIBUTES.shortId, (sessionId !== undefined && shortSessionId(sessionId)) || null),
    { key: PHASE, value: publishedPhase(record) },
    { key: PROBLEM, value: problems.length === 0 ? null : problems },
    integer(SEARCH_ATTRIBUTES.changeDelay, changeDelayMs ?? null),
  ];
}

/**
 * Returns the phase to publish. Temporal Cloud bills each change of search attributes, and most cancels have their outcome at
 * once. So `cancelling` is published only while the session's calls fail, or if it is already published.
 */
function publishedPhase(record: SessionRecord): SessionPhase | typeof ANSWERED_PHASE {
  if (record.answeredByLedger === true) return ANSWERED_PHASE;
  const phase = phaseOf(record);
  if (phase !== 'cancelling' || record.trouble !== undefined) return phase;
  return published(PHASE) === 'cancelling' ? 'cancelling' : 'open';
}

/** Updates all search attributes that differ from the published values, in one command. Sends no command if none differs. */
function upsertDiffering(wanted: readonly SessionAttribute<null>[]): void {
  const differing = wanted.filter(
    ({ key, value }) => JSON.stringify(published(key)) !== JSON.stringify(value),
  );
  if (differing.length > 0) upsertSearchAttributes([...differing]);
}

function published(key: SessionAttribute<null>['key']): string | number | readonly string[] | null {
  return workflowInfo().typedSearchAttributes.get(key) ?? null;
}

/**
 * Logs warnings about the effects of an observation. A replay logs nothing twice, because the SDK's log ignores calls during
 * a replay. The service's own texts are not logged, because they may contain anything.
 */
export function warnOfChange(account: string, before: SessionRecord, record: SessionRecord): void {
  if (record.parked && !before.parked) {
    log.warn(
      'The outcome of a create request is unknown, so the session is waiting for a decision. Look for the request’s session in the payment service’s own records, then decide with `paysession resolve`.',
      { account, problem: 'parked' },
    );
  }
  for (const { kind } of record.anomalies.slice(before.anomalies.length)) {
    const message =
      kind === 'possibleOrphan'
        ? 'A create request may have left an open session at the payment service that no key follows. Search for its reference there.'
        : 'The payment service did something that its contract does not foresee, or the session’s record is full. See `paysession state`.';
    log.warn(message, { account, problem: kind });
  }
}

/** Logs a warning that the workflow fails, with the error code. The SDK's own log line lacks the code. */
export function warnOfFailure(code: ErrorCode, account?: string): void {
  log.warn(`The session failed. ${ERROR_CODES[code].meaning}`, { code, account });
}

/**
 * Logs a warning that `decisions` does not have a cancel, because the argument with the person's name and the reason cannot
 * be read.
 */
export function warnOfUnreadCancel(code: string | null | undefined): void {
  const known = code != null && isErrorCode(code) ? code : 'INVALID_INPUT';
  log.warn(
    `The argument of a cancellation cannot be read. The session is cancelled, but \`decisions\` does not say who cancelled it, or why. ${ERROR_CODES[known].remedy}`,
    { code: known },
  );
}
