import type { VerifiedLedger } from '../../../ledger';
import type { Violation } from './evidence';

/** The record of the sweeps, checkpoints and verifications of a ledger during a campaign. */
export interface KeptLedger {
  /** The error codes of failed sweeps and checkpoints. */
  readonly failures: readonly string[];
  /** The results of two verifications: one with the first kept checkpoint, and one with the last kept checkpoint. */
  readonly verified: readonly VerifiedLedger[];
  /** The number of checkpoints. */
  readonly checkpoints: number;
}

/** Invariant (s): the verification of the ledger finds no fault, with every checkpoint that was made. */
export function checkVerified({ failures, verified, checkpoints }: KeptLedger): Violation[] {
  const violation = (what: string): Violation => ({ invariant: 's', where: 'the ledger', what });
  const last = verified.at(-1);
  // The result counts the checkpoint that the verification was given, and all checkpoints in the database.
  const compared = (last?.checkpoints ?? 0) - 1;
  return [
    ...failures.map((code) => violation(`a sweep or a checkpoint failed: ${code}`)),
    ...verified.flatMap(({ fault }) =>
      fault === undefined ? [] : [violation(`${fault.kind}: ${fault.message}`)],
    ),
    ...(last?.waiting === 0 ? [] : [violation(`${String(last?.waiting)} entries have no place`)]),
    ...(compared === checkpoints
      ? []
      : [violation(`${checkpoints} checkpoints were made, and ${compared} are there`)]),
  ];
}
