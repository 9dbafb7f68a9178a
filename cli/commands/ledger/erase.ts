import type { Erasure } from '../../../ledger';
import { oneLine, printJson, printLine, type JsonOption } from '../../shared/screen/output';
import { withLedger } from './open-ledger';

export interface EraseOptions extends JsonOption, Erasure {}

/** Throws `PaysessionError` `SESSION_NOT_FOUND` where the ledger does not know the key. */
export async function eraseSession(key: string, { by, reason, json }: EraseOptions): Promise<void> {
  const isDone = await withLedger((ledger) => ledger.erase(key, { by, reason }));
  const outcome = isDone ? 'erased' : 'alreadyErased';
  if (json) printJson({ key, outcome });
  else
    printLine(
      `${oneLine(key)}: personal data ${isDone ? 'erased from the ledger' : 'had been erased before'}`,
    );
}
