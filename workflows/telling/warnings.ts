/** What a person must know of a session, in the log of its worker. It is logged once, and no replay or history shows it. */
import { log } from '@temporalio/workflow';
import { ERROR_CODES, isErrorCode, type ErrorCode } from '../../src/errors/codes';
import type { SessionRecord } from '../record/session-record';

/** Warns of what an observation brought. What the service said stays in the session's state: it may be anything. */
export function warnOfChange(account: string, before: SessionRecord, record: SessionRecord): void {
  if (record.parked && !before.parked) {
    log.warn(
      'The outcome of a create request is unknown. The session is waiting for a decision: look for it at the payment service, then use `paysession resolve`.',
      { account, problem: 'parked' },
    );
  }
  for (const { kind } of record.anomalies.slice(before.anomalies.length)) {
    const message =
      kind === 'possibleOrphan'
        ? 'A create request may have left a session open at the payment service that nobody follows. Look for it there by the reference.'
        : 'The payment service did something that its contract does not foresee. See `paysession state`.';
    log.warn(message, { account, problem: kind });
  }
}

/** Warns that the workflow fails, with the code that the SDK's own line about it lacks. */
export function warnOfFailure(code: ErrorCode, account?: string): void {
  log.warn(`The session failed. ${ERROR_CODES[code].meaning}`, {
    code,
    ...(account !== undefined && { account }),
  });
}

/** Warns that a cancel lacks its decision: who cancels, and why, came in an argument that cannot be read. */
export function warnOfUnreadCancel(code: string | null | undefined): void {
  const known = code != null && isErrorCode(code) ? code : 'INVALID_INPUT';
  log.warn(
    `The argument of a cancellation cannot be read. The session is cancelled, but \`decisions\` does not say who cancelled it, or why. ${ERROR_CODES[known].remedy}`,
    { code: known },
  );
}
