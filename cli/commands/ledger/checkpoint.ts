import { writeFile } from 'node:fs/promises';
import { warnOfExposedFiles } from '../../shared/run/settings-warnings';
import type { MadeCheckpoint } from '../../../ledger';
import { printJson, printLine, printProgress, type JsonOption } from '../../shared/screen/output';
import { SettingsError } from '../../../src/errors';
import { readCheckpoints } from './kept-checkpoints';
import { withLedger } from './open-ledger';
import { requiredSigner } from './signing-key';

export interface CheckpointOptions extends JsonOption {
  readonly after?: string;
  readonly first?: true;
  readonly out?: string;
}

/** Standard output has the checkpoint alone, so that it can be kept as it is. */
export async function printCheckpoint({ after, first, out, json }: CheckpointOptions): Promise<void> {
  const signer = requiredSigner();
  if ((after === undefined) === (first === undefined)) throw oneOfBoth();
  warnOfExposedFiles();
  const kept = after === undefined ? undefined : await readCheckpoints(after);
  const made = await withLedger((ledger) => ledger.checkpoint(signer, kept));
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

/** Without an earlier checkpoint, a log that was rewritten would be signed. */
function oneOfBoth(): SettingsError {
  const message =
    'is needed: the file of the checkpoints that you have kept; or else --first, if you have kept none yet';
  return new SettingsError([{ path: '--after', message }]);
}

/** What a checkpoint covers, and what was put in its way. */
export function coveredBy({ size, added, skipped }: Omit<MadeCheckpoint, 'note'>): string {
  const covers = `The checkpoint covers ${size} ${size === 1 ? 'entry' : 'entries'}, ${added} of them new.`;
  if (skipped === 0) return covers;
  return `${covers} ${skipped} ${skipped === 1 ? 'ROW' : 'ROWS'} OF THE TABLE "unsequenced" BELONGED TO NO ENTRY AND WERE DELETED: no part of paysession writes such rows.`;
}
