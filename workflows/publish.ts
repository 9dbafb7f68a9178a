/** Writes a session where people look for it: search attributes, and the current details in the UI. */
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { SEARCH_ATTRIBUTES, UNREADABLE_CODE } from '../src/protocol/names';
import type { SessionRecord } from './record/session-record';
import { summaryOf } from './views';

/** Publishes what never changes, with the first state; the reference only where the policy lets it be searched for. */
export function publishStart(record: SessionRecord, reference: string | null): void {
  upsertSearchAttributes([
    { key: keyword(SEARCH_ATTRIBUTES.kind), value: record.kind },
    { key: keyword(SEARCH_ATTRIBUTES.reference), value: reference },
  ]);
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
    { key: keyword(SEARCH_ATTRIBUTES.status), value: status ?? null },
    { key: keyword(SEARCH_ATTRIBUTES.code), value: code ?? (unreadableCode ? UNREADABLE_CODE : null) },
  ]);
}

const keyword = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);
