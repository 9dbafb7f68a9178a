import type { Client } from '@temporalio/client';
import { conditionsOf, quotedTime, type SessionFilter } from './filter';
import { toIndexError } from './list-sessions';

/** What a count may ask for beside a list's filter. */
export interface CountFilter extends SessionFilter {
  /** Only sessions that ended after this time. */
  readonly endedAfter?: Date;
}

/** How many sessions match. Throws what a list of them throws. */
export async function countSessions(client: Client, { endedAfter, ...filter }: CountFilter): Promise<number> {
  const ended = endedAfter === undefined ? [] : [`CloseTime >= ${quotedTime(endedAfter)}`];
  const conditions = [...conditionsOf(filter), ...ended];
  try {
    const { count } = await client.workflow.count(conditions.join(' AND '));
    return count;
  } catch (error) {
    throw toIndexError(error);
  }
}
