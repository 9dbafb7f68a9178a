import { randomUUID } from 'node:crypto';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isPaysessionError, PaysessionError } from '../../src/errors';
import { systemCode } from '../../src/files';
import { tampered } from '../log/checkpoints';
import { isSignedBy, readCheckpoint } from '../log/signed-note';

/** A store of checkpoints outside the ledger's database. */
export interface CheckpointStore {
  /** Returns the newest checkpoint as a signed note; `undefined` if there is none. */
  newest(): Promise<string | undefined>;
  /** Stores a checkpoint. Storing the same one again changes nothing. */
  add(note: string): Promise<void>;
}

/** Each name has the same number of digits, so that a sorted listing ends with the newest. */
const NAME = /^checkpoint-\d{15}\.txt$/;

const NOT_STORED =
  'The note is not a checkpoint that one of the configured keys has signed, so it was not stored. Give the verifier key of its signer.';

/**
 * Returns a store that keeps each checkpoint as a file of a folder, which may be a mounted object store.
 *
 * @throws {@link PaysessionError} `INVALID_FILE`, from the store's methods, if a file or the note is not a checkpoint signed with one of the
 * verifier keys, or the folder cannot be used; `LEDGER_TAMPERED` from `add` if the folder has a different checkpoint of the same size
 *
 * @example
 * ```ts
 * const store = checkpointFolder('/mnt/checkpoints', [signer.verifierKey]);
 * const { note } = await ledger.checkpoint(signer, await store.newest());
 * await store.add(note);
 * ```
 */
export function checkpointFolder(folder: string, verifierKeys: readonly string[]): CheckpointStore {
  /** Returns a checkpoint's file name; `undefined` if the note is not a checkpoint that one of the keys has signed. */
  const nameOf = (note: string): string | undefined => {
    const size = verifierKeys.some((key) => isSignedBy(note, key)) ? readCheckpoint(note)?.size : undefined;
    return size === undefined ? undefined : `checkpoint-${String(size).padStart(15, '0')}.txt`;
  };
  const read = async (name: string): Promise<string> => {
    const note = await readFile(join(folder, name), 'utf8');
    if (nameOf(note) === name) return note;
    const problem = `${name} in the folder of checkpoints is not a checkpoint that one of the configured keys has signed.`;
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
        const name = nameOf(note);
        if (name === undefined) throw new PaysessionError('INVALID_FILE', NOT_STORED);
        if (!(await readdir(folder)).includes(name)) await writeWhole(folder, name, note);
        else if (rootOf(await read(name)) !== rootOf(note)) throw tampered();
      }),
  };
}

/** Returns a checkpoint's root. Two checkpoints with the same root are the same, whichever key has signed them. */
const rootOf = (note: string): string | undefined => readCheckpoint(note)?.root.toString('hex');

/** Runs the work, and reports an error of the file system as a `PaysessionError` that names the folder. */
async function named<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const reason = systemCode(cause);
    if (isPaysessionError(cause) || reason === undefined) throw cause;
    const message = `The folder of checkpoints, ${folder}, cannot be used (${reason}). It must exist, and this user must be able to write in it.`;
    throw new PaysessionError('INVALID_FILE', message, { cause });
  }
}

/** Writes a file whole or not at all. */
async function writeWhole(folder: string, name: string, text: string): Promise<void> {
  const part = join(folder, `.${name}.${randomUUID()}`);
  try {
    await writeFile(part, text, { flag: 'wx', mode: 0o644, flush: true });
    await rename(part, join(folder, name));
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
