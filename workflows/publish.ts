/** Writes a session where people look for it: search attributes, and the current details in the UI. */
import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { PaymentSessionInput } from '../src/protocol/input';
import { SEARCH_ATTRIBUTES, UNREADABLE_CODE } from '../src/protocol/names';
import { attributesOf, keyword } from '../src/protocol/search-attributes';
import type { SessionRecord } from './record/session-record';
import { summaryOf } from './views';

/** Publishes the first state, and what never changes where whoever started the session left it out or said it otherwise. */
export function publishStart(record: SessionRecord, input: PaymentSessionInput): void {
  const wanted = new Map(attributesOf(input).map(({ key, value }) => [key.name, value]));
  const { typedSearchAttributes } = workflowInfo();
  const differing = [SEARCH_ATTRIBUTES.kind, SEARCH_ATTRIBUTES.reference]
    .map((name) => keyword(name, wanted.get(name) ?? null))
    .filter(({ key, value }) => (typedSearchAttributes.get(key) ?? null) !== value);
  if (differing.length > 0) upsertSearchAttributes(differing);
  setCurrentDetails(summaryOf(record));
}

/** Publishes the state, where it differs from the one before. */
export function publishChange(before: SessionRecord, record: SessionRecord): void {
  const { status, code, unreadableCode } = record;
  const isPublished =
    status === before.status && code === before.code && unreadableCode === before.unreadableCode;
  if (isPublished) return;
  setCurrentDetails(summaryOf(record));
  upsertSearchAttributes([
    keyword(SEARCH_ATTRIBUTES.status, status ?? null),
    keyword(SEARCH_ATTRIBUTES.code, code ?? (unreadableCode ? UNREADABLE_CODE : null)),
  ]);
}
