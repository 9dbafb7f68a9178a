import { randomUUID } from 'node:crypto';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isPaysessionError, PaysessionError } from '../../src/errors';
import { systemCode } from '../../src/files';
import { tampered } from '../log/checkpoints';
import { isSignedBy, readCheckpoint } from '../log/signed-note';

/**
 * A place outside the ledger's database that keeps checkpoints. A checkpoint is a signed note about the ledger's log, with which a later change
 * of the log can be detected.
 */
export interface CheckpointStore {
  /** Returns the newest checkpoint as a signed note. Returns `undefined` if the store is empty. */
  newest(): Promise<string | undefined>;
  /** Stores a checkpoint. If the store already has this checkpoint, does nothing. */
  add(note: string): Promise<void>;
}

/** The name of a checkpoint's file. Its number always has 15 digits, so that the newest file is the last one in a sorted list. */
const NAME = /^checkpoint-\d{15}\.txt$/;

const NOT_STORED =
  'The note is not a checkpoint that one of the configured keys has signed, so it was not stored. Give the verifier key of its signer.';

/**
 * Returns a store that keeps each checkpoint in a file. The folder may be a mounted object store.
 *
 * The methods of the store throw {@link PaysessionError}. The code is `INVALID_FILE` if the folder cannot be used, or if a note is not a
 * checkpoint signed with one of the verifier keys. `add` throws `LEDGER_TAMPERED` if the folder has another checkpoint of the same size with
 * different content.
 *
 * @example
 * ```ts
 * const store = checkpointFolder('/mnt/checkpoints', [signer.verifierKey]);
 * const { note } = await ledger.checkpoint(signer, await store.newest());
 * await store.add(note);
 * ```
 */
export function checkpointFolder(folder: string, verifierKeys: readonly string[]): CheckpointStore {
  /** Returns a checkpoint's file name. Returns `undefined` if the note is not a checkpoint signed with one of the keys. */
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

/** Returns a checkpoint's root hash. Checkpoints with the same root have the same content, even if different keys have signed them. */
const rootOf = (note: string): string | undefined => readCheckpoint(note)?.root.toString('hex');

/** Runs work on the folder. Converts an error of the file system to a `PaysessionError` that names the folder. */
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

/** Writes a file completely, or not at all if writing fails. */
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
