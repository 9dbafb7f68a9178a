/** Writes a session where people look for it: search attributes, and the current details in the UI. */
import {
  ApplicationFailure,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { shortSessionId } from '../../src/contract/identity';
import { ERROR_CODES, isErrorCode, type ErrorCode } from '../../src/errors/codes';
import { ANSWERED_PHASE, SEARCH_ATTRIBUTES, UNREADABLE } from '../../src/protocol/names';
import { isSessionProblem, PROBLEMS, problemsOf } from '../../src/protocol/state/problems';
import type { SessionPhase } from '../../src/protocol/state/recorded';
import {
  inputAttributes,
  integer,
  keyword,
  keywordList,
  searchable,
  type SessionAttribute,
  currentDetails,
} from '../../src/protocol/temporal/visibility';
import { phaseOf, type SessionRecord } from '../record/session-record';
import type { PaymentSessionInput } from '../../src/protocol/input';

/** Publishes a session as it is, and what never changes where whoever started it left that out or said it otherwise. */
export function publishStart(record: SessionRecord, input: PaymentSessionInput): void {
  setCurrentDetails(detailsOf(record, input));
  upsertDiffering([...inputAttributes(input), ...attributesOf(record)]);
}

/** Publishes a session that may have changed. */
export function publishChange(record: SessionRecord, input: PaymentSessionInput): void {
  setCurrentDetails(detailsOf(record, input));
  upsertDiffering(attributesOf(record));
}

/** Runs a workflow; if it fails with an error code, publishes that. */
export async function publishingFailure<T>(workflow: () => Promise<T>): Promise<T> {
  try {
    return await workflow();
  } catch (error) {
    const code = error instanceof ApplicationFailure ? error.type : undefined;
    if (code != null && isErrorCode(code)) publishFailure(code);
    throw error;
  }
}

/** The phase, the problems that are kept, and the error code as one more. */
function publishFailure(code: ErrorCode): void {
  setCurrentDetails(`failed: ${code}: ${ERROR_CODES[code].remedy}`);
  const problems = workflowInfo().typedSearchAttributes.get(PROBLEM) ?? [];
  const kept = problems.filter((name) => isSessionProblem(name) && PROBLEMS[name].kept);
  const ended: SessionPhase = 'ended';
  upsertDiffering([
    { key: PHASE, value: published(PHASE) === ANSWERED_PHASE ? ANSWERED_PHASE : ended },
    { key: PROBLEM, value: [...kept, code] },
  ]);
}

const { key: PHASE } = keyword(SEARCH_ATTRIBUTES.phase, null);
const { key: PROBLEM } = keywordList(SEARCH_ATTRIBUTES.problem, null);

function detailsOf(record: SessionRecord, { key }: PaymentSessionInput): string {
  return currentDetails(key, { ...record, phase: phaseOf(record) });
}

function attributesOf(record: SessionRecord): readonly SessionAttribute<null>[] {
  const { status, code, unreadableCode, sessionId, newsDelayMs } = record;
  const problems = problemsOf({ ...record, phase: phaseOf(record) });
  const codeOrNot = code === undefined ? (unreadableCode ? UNREADABLE : null) : searchable(code);
  return [
    keyword(SEARCH_ATTRIBUTES.status, status === undefined ? null : searchable(status)),
    keyword(SEARCH_ATTRIBUTES.code, codeOrNot),
    keyword(SEARCH_ATTRIBUTES.shortId, (sessionId !== undefined && shortSessionId(sessionId)) || null),
    { key: PHASE, value: publishedPhase(record) },
    { key: PROBLEM, value: problems.length === 0 ? null : problems },
    integer(SEARCH_ATTRIBUTES.newsDelay, newsDelayMs ?? null),
  ];
}

/** Most cancels are settled at once: one is published as such only after a call of it has failed, since each upsert is billed. */
function publishedPhase(record: SessionRecord): SessionPhase | typeof ANSWERED_PHASE {
  if (record.answeredByLedger === true) return ANSWERED_PHASE;
  const phase = phaseOf(record);
  if (phase !== 'cancelling' || record.trouble !== undefined) return phase;
  return published(PHASE) === 'cancelling' ? 'cancelling' : 'open';
}

/** One upsert for all that differs from what the engine has; none where nothing does: each is a billable action. */
function upsertDiffering(wanted: readonly SessionAttribute<null>[]): void {
  const differing = wanted.filter(
    ({ key, value }) => JSON.stringify(published(key)) !== JSON.stringify(value),
  );
  if (differing.length > 0) upsertSearchAttributes([...differing]);
}

function published(key: SessionAttribute<null>['key']): string | number | readonly string[] | null {
  return workflowInfo().typedSearchAttributes.get(key) ?? null;
}
