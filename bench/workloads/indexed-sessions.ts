import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { workflowIdOf, WORKFLOW_TYPE } from '../../src/protocol/names';
import { keyword, keywordList, type SessionAttribute } from '../../src/protocol/temporal/visibility';
import { someAtOnce } from './some-at-once';
import { SEARCH_ATTRIBUTES } from '../../src/protocol/temporal/search-attributes';

export interface IndexedSessions {
  readonly count: number;
  /** A task queue without a worker, so that the sessions do not change after their start. */
  readonly taskQueue: string;
}

/** A session's values in Temporal's index. */
interface Row {
  readonly status?: string;
  readonly code?: string;
  readonly phase: string;
  readonly problem?: string;
  readonly ended?: true;
}

const OPEN: Row = { status: 'Initiated', code: 'EFT0101', phase: 'open' };

/**
 * The sessions that are not simply open. `share` is their number among a hundred sessions. All other sessions are
 * `OPEN`.
 */
const ROWS: readonly (Row & { readonly share: number })[] = [
  { share: 1, phase: 'parked', problem: 'parked' },
  { share: 1, ...OPEN, problem: 'serviceFailing' },
  { share: 1, phase: 'creating' },
  { share: 1, ...OPEN, problem: 'possibleOrphan' },
  { share: 10, status: 'Completed', code: 'EFT0301', phase: 'ended', ended: true },
  { share: 1, status: 'Completed', code: 'EFT0302', phase: 'ended', ended: true },
  { share: 3, status: 'Failed', code: 'EFT0404', phase: 'ended', ended: true },
  { share: 3, status: 'Cancelled', code: 'EFT0501', phase: 'ended', ended: true },
  { share: 2, status: 'Expired', code: 'EFT0601', phase: 'ended', ended: true },
];
const BY_HUNDREDTH = ROWS.flatMap((row) => Array.from({ length: row.share }, () => row));

const KINDS = ['EFT', 'GEFT', 'e-Transfer'] as const;
const ACCOUNTS = ['default', 'shop-1', 'shop-2', 'shop-3'] as const;
const STARTED_AT_ONCE = 50;

/**
 * Starts workflows until the index has `count` of them. Returns the number of workflows that it started. In the index,
 * these workflows look like sessions. No worker runs them, because only the index is measured. If a workflow is to look
 * like an ended session, a timeout ends it.
 */
export async function indexSessions(client: Client, { count, taskQueue }: IndexedSessions): Promise<number> {
  const { count: known } = await client.workflow.count(`WorkflowType = '${WORKFLOW_TYPE}'`);
  const numbers = Array.from({ length: Math.max(0, count - known) }, (_, index) => String(known + index));
  await someAtOnce(STARTED_AT_ONCE, numbers, async (number) => {
    const index = Number(number);
    const row = BY_HUNDREDTH[(index * 37) % 100] ?? OPEN;
    await client.workflow.start(WORKFLOW_TYPE, {
      workflowId: workflowIdOf(`order-${index}`),
      taskQueue,
      typedSearchAttributes: attributesOf(row, index),
      ...(row.ended && { workflowExecutionTimeout: '1s' }),
    });
  });
  return numbers.length;
}

function attributesOf({ status, code, phase, problem }: Row, index: number): SessionAttribute[] {
  const some = (name: string, value: string | undefined) =>
    value === undefined ? [] : [keyword(name, value)];
  return [
    keyword(SEARCH_ATTRIBUTES.kind, KINDS[index % KINDS.length] ?? 'EFT'),
    keyword(SEARCH_ATTRIBUTES.account, ACCOUNTS[index % ACCOUNTS.length] ?? 'default'),
    keyword(SEARCH_ATTRIBUTES.reference, `reference-${index}`),
    keyword(SEARCH_ATTRIBUTES.shortId, randomUUID().slice(0, 8)),
    keyword(SEARCH_ATTRIBUTES.phase, phase),
    ...some(SEARCH_ATTRIBUTES.status, status),
    ...some(SEARCH_ATTRIBUTES.code, code),
    ...(problem === undefined ? [] : [keywordList(SEARCH_ATTRIBUTES.problem, [problem])]),
  ];
}
