import { writeFile } from 'node:fs/promises';
import type { MadeCheckpoint } from '../../../ledger';
import { printJson, printLine, printProgress, type JsonOption } from '../../shared/screen/output';
import { withLedger } from './open-ledger';
import { requiredSigner } from './signing-key';

export interface CheckpointOptions extends JsonOption {
  readonly out?: string;
}

/** Standard output has the checkpoint alone, so that it can be kept as it is. */
export async function printCheckpoint({ out, json }: CheckpointOptions): Promise<void> {
  const signer = requiredSigner();
  const made = await withLedger((ledger) => ledger.checkpoint(signer));
  const { note } = made;
  if (out !== undefined) await writeFile(out, note);
  const covers = coveredBy(made);
  if (json) printJson(made);
  else if (out !== undefined) printLine(covers);
  else {
    process.stdout.write(note);
    printProgress(covers);
  }
}

/** What a checkpoint covers, and what was put in its way. */
export function coveredBy({ size, added, skipped }: Omit<MadeCheckpoint, 'note'>): string {
  const covers = `The checkpoint covers ${size} ${size === 1 ? 'entry' : 'entries'}, ${added} of them new.`;
  if (skipped === 0) return covers;
  return `${covers} ${skipped} ${skipped === 1 ? 'ROW' : 'ROWS'} OF THE TABLE "unsequenced" BELONGED TO NO ENTRY AND WERE DELETED: no part of paysession writes such rows.`;
}
