import { isRecord } from '../../../../src/contract/values/json';
import { readText } from '../../../shared/input/input-text';
import { jsonFault } from '../../../../src/contract/values/outside-text';
import type { PaymentSessionInput } from '../../../../src/protocol/input';

/** One line of a file that holds something: an input to start, or why it is none. */
export type InputLine =
  | { readonly line: number; readonly input: PaymentSessionInput }
  | { readonly line: number; readonly problem: string };

/** No session's input comes near it (contract A20). */
const MAX_LINE_LENGTH = 1024 * 1024;

/**
 * Reads JSON lines from a file, or from standard input for `-`, as they are asked for. Blank lines are passed over; lines
 * are numbered from 1. Throws `PaysessionError` `INVALID_FILE`.
 */
export async function* readLines(path: string): AsyncIterable<InputLine> {
  let line = 0;
  for await (const text of linesOf(readText(path))) {
    line += 1;
    if (text.length > MAX_LINE_LENGTH) yield { line, problem: 'is too long' };
    else if (text.trim() !== '') yield parseLine(line, text.trim());
  }
}

/** A line that is too long is cut: its rest is not kept. */
async function* linesOf(pieces: AsyncIterable<string>): AsyncIterable<string> {
  let rest = '';
  for await (const piece of pieces) {
    const [first = '', ...others] = piece.split('\n');
    rest = (rest + first).slice(0, MAX_LINE_LENGTH + 1);
    for (const other of others) {
      yield rest;
      rest = other;
    }
  }
  yield rest;
}

/** Only the shape that a line needs to be one; the session's input is validated as it is started. */
function parseLine(line: number, text: string): InputLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const { column, expected } = jsonFault(text) ?? { column: 1, expected: 'a value' };
    return { line, problem: `is not JSON: ${expected} is expected at column ${column}` };
  }
  if (!isRecord(value)) return { line, problem: 'is not a JSON object' };
  return { line, input: value as unknown as PaymentSessionInput };
}
