import { condition } from '@temporalio/workflow';
import type { SessionFailure } from '../../src/errors/failures';
import type { Session } from '../session';
import { isGivenBack } from '../../src/protocol/activities';

/**
 * Until when the run before was to wait before its next call, in epoch milliseconds; 0 where that is over, or was asked for by one
 * worker, which lacks the account's credentials.
 */
export function carriedWaitMs({ record: { trouble } }: Session): number {
  const untilMs = trouble?.until === undefined || isGivenBack(trouble.code) ? 0 : Date.parse(trouble.until);
  return untilMs > Date.now() ? untilMs : 0;
}

/** Waits on a durable timer, or until `woken`; the UI shows `summary` beside the timer. */
export async function wait(milliseconds: number, woken: () => boolean, summary: string): Promise<void> {
  if (milliseconds > 0 && !woken()) await condition(woken, milliseconds, { summary });
}

/** Takes note of a call that failed, and waits before the next, or until `woken`. */
export async function waitAfter(
  session: Session,
  { failure, milliseconds }: { readonly failure: SessionFailure; readonly milliseconds: number },
  woken: () => boolean,
): Promise<void> {
  session.apply({ type: 'callFailed', failure });
  session.apply({ type: 'waits', untilMs: Date.now() + milliseconds });
  await wait(milliseconds, woken, `again after ${failure.code}`);
}
