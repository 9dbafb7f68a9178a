import { checkpointsIn } from '../../../ledger';
import { PaysessionError, withRemedy } from '../../../src/errors';
import { readText } from '../../shared/input/input-text';

/** Reads a file of checkpoints, one after another. Throws `PaysessionError` `INVALID_FILE` if it holds none, or anything else. */
export async function readCheckpoints(path: string): Promise<readonly string[]> {
  let text = '';
  for await (const piece of readText(path)) text += piece;
  const notes = checkpointsIn(text);
  if (notes !== undefined) return notes;
  const happened = `${path} does not consist of checkpoints, whole as \`paysession ledger checkpoint\` printed them.`;
  throw new PaysessionError('INVALID_FILE', withRemedy('INVALID_FILE', happened));
}
