import { randomUUID } from 'node:crypto';
import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isPaysessionError, PaysessionError } from '../../src/errors';
import { systemCode } from '../../src/files';
import { tampered } from '../log/checkpoints';
import { isSignedBy, readCheckpoint } from '../log/signed-note';

/** Where checkpoints are kept, away from the ledger's database. */
export interface CheckpointStore {
  /** The newest that it has, as a signed note. */
  newest(): Promise<string | undefined>;
  /** Keeps one; that it is there already is fine. */
  add(note: string): Promise<void>;
}

/** The size has as many digits in each name, so that a listing has the newest last. */
const NAME = /^checkpoint-\d{15}\.txt$/;

const nameOf = (size: number): string => `checkpoint-${String(size).padStart(15, '0')}.txt`;

/**
 * Keeps each checkpoint as a file of a folder, which may be a mounted object store. Throws `PaysessionError` `INVALID_FILE` where a file is
 * no checkpoint that is signed with one of the verifier keys, or the folder cannot be used; `LEDGER_TAMPERED` where another one of the same size is to be kept.
 */
export function checkpointFolder(folder: string, verifierKeys: readonly string[]): CheckpointStore {
  const read = async (name: string): Promise<string> => {
    const note = await readFile(join(folder, name), 'utf8');
    const isSigned = verifierKeys.some((key) => isSignedBy(note, key));
    if (isSigned && nameOf(readCheckpoint(note)?.size ?? -1) === name) return note;
    const problem = `${name} in the folder of checkpoints is no checkpoint that is signed with the keys that are set.`;
    throw new PaysessionError('INVALID_FILE', `${problem} Name another folder, or give --earlier-key.`);
  };
  return {
    newest: () =>
      named(folder, async () => {
        const name = (await readdir(folder))
          .filter((file) => NAME.test(file))
          .toSorted()
          .at(-1);
        return name === undefined ? undefined : read(name);
      }),
    add: (note) =>
      named(folder, async () => {
        const name = nameOf(readCheckpoint(note)?.size ?? 0);
        if (!(await readdir(folder)).includes(name)) await writeWhole(folder, name, note);
        else if (rootOf(await read(name)) !== rootOf(note)) throw tampered();
      }),
  };
}

/** A checkpoint is the same one if an earlier key has signed it. */
const rootOf = (note: string): string | undefined => readCheckpoint(note)?.root.toString('hex');

/** What the system says of the folder, as an error with a stable code. */
async function named<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const reason = systemCode(cause);
    if (isPaysessionError(cause) || reason === undefined) throw cause;
    const message = `The folder of checkpoints, ${folder}, cannot be used (${reason}). It has to exist, and this user may write in it.`;
    throw new PaysessionError('INVALID_FILE', message, { cause });
  }
}

/** A file is there whole, or not at all. */
async function writeWhole(folder: string, name: string, text: string): Promise<void> {
  const part = join(folder, `.${name}.${randomUUID()}`);
  try {
    const file = await open(part, 'wx', 0o644);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, join(folder, name));
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
