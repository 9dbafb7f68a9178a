/**
 * The floor is a program that makes only the calls of a session that ends at once. No workflow that makes these calls
 * can cost less.
 */
import { defineSearchAttributeKey } from '@temporalio/common';
import {
  condition,
  defineUpdate,
  proxyActivities,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { Details } from '../baseline/activities';
import { SEARCH_ATTRIBUTES } from '../../src/protocol/temporal/search-attributes';

/** The activities of the floor. */
export interface FloorActivities {
  /** Sends a heartbeat, waits until the Temporal server has accepted it, and creates the session. Returns its id. */
  create(request: object): Promise<string>;
  /** Polls the session once, `pollAfterMs` milliseconds after the activity has started. */
  follow(sessionId: string, pollAfterMs: number): Promise<Details>;
}

const { create, follow } = proxyActivities<FloorActivities>({
  startToCloseTimeout: '1m',
  heartbeatTimeout: '30s',
});

export const opened = defineUpdate<string>('opened');

export interface FloorInput {
  /** The request of a session, so that the floor's history is as large as a session's history. */
  readonly request: object;
  readonly pollAfterMs: number;
}

/** The end of a session, as the bench's `Ending` has it. */
export interface FloorEnding {
  readonly sessionId: string;
  readonly status: string;
  readonly knownAtMs: number;
}

export async function floor({ request, pollAfterMs }: FloorInput): Promise<FloorEnding> {
  let sessionId = '';
  setHandler(opened, async () => {
    await condition(() => sessionId !== '');
    return sessionId;
  });
  sessionId = await create(request);
  publish({ status: 'Initiated', phase: 'open', code: 'EFT0101', shortId: sessionId.slice(0, 8) });
  const { status, statusDetails: code = '' } = await follow(sessionId, pollAfterMs);
  publish({ status, phase: 'ended', code }, pollAfterMs);
  return { sessionId, status, knownAtMs: Date.now() };
}

const CHANGE_DELAY = defineSearchAttributeKey(SEARCH_ATTRIBUTES.changeDelay, 'INT');

/** Upserts the given search attributes in one command, as a session does. */
function publish(
  keywords: Partial<Record<keyof typeof SEARCH_ATTRIBUTES, string>>,
  changeDelayMs?: number,
): void {
  const pairs = Object.entries(keywords).map(([name, value]) => ({
    key: defineSearchAttributeKey(SEARCH_ATTRIBUTES[name as keyof typeof keywords], 'KEYWORD'),
    value,
  }));
  const delay = changeDelayMs === undefined ? [] : [{ key: CHANGE_DELAY, value: changeDelayMs }];
  upsertSearchAttributes([...pairs, ...delay]);
}
