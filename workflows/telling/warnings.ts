/** What a person must know of a session, in the log of its worker. It is logged once, and no replay or history shows it. */
import { log } from '@temporalio/workflow';
import { ERROR_CODES, isErrorCode, type ErrorCode } from '../../src/errors/codes';
import type { SessionRecord } from '../record/session-record';

/** Warns of what an observation brought. What the service said stays in the session's state: it may be anything. */
export function warnOfChange(account: string, before: SessionRecord, record: SessionRecord): void {
  if (record.parked && !before.parked) {
    log.warn(
      'A create’s outcome is unknown. The session waits for a decision: look for it at the payment service, then use `paysession resolve`.',
      { account, problem: 'parked' },
    );
  }
  for (const { kind } of record.anomalies.slice(before.anomalies.length)) {
    const message =
      kind === 'possibleOrphan'
        ? 'A create may have left a session open at the payment service, which nobody follows. Look for it there by the reference.'
        : 'The payment service did what its contract does not foresee. `paysession state` tells what.';
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
    `A cancel’s argument cannot be read. The session is cancelled, but \`decisions\` does not tell who cancelled it, and why. ${ERROR_CODES[known].remedy}`,
    { code: known },
  );
}
