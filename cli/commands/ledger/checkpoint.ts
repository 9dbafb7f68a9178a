import { writeFile } from 'node:fs/promises';
import { warnOfExposedFiles } from '../../shared/run/settings-warnings';
import { printJson, printLine, printProgress, type JsonOption } from '../../shared/screen/output';
import { withLedger } from './open-ledger';
import { requiredSigner } from './signing-key';

export interface CheckpointOptions extends JsonOption {
  readonly out?: string;
}

/** Standard output has the checkpoint alone, so that it can be kept as it is. */
export async function printCheckpoint({ out, json }: CheckpointOptions): Promise<void> {
  const signer = requiredSigner();
  warnOfExposedFiles();
  const made = await withLedger((ledger) => ledger.checkpoint(signer));
  const { note, size, added } = made;
  if (out !== undefined) await writeFile(out, note);
  const covers = `The checkpoint covers ${size} ${size === 1 ? 'entry' : 'entries'}, ${added} of them new.`;
  if (json) printJson(made);
  else if (out !== undefined) printLine(covers);
  else {
    process.stdout.write(note);
    printProgress(covers);
  }
}
