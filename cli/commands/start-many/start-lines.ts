import type { PaymentSessions } from '../../../src/sessions';
import type { PaymentSessionInput } from '../../../src/protocol/input';
import type { InputLine } from './read-lines';

/** What became of one line. */
export type LineResult =
  | {
      readonly line: number;
      readonly key: string;
      readonly outcome: 'started' | 'attached';
      readonly workflowId: string;
    }
  | {
      readonly line: number;
      readonly key?: string;
      readonly outcome: 'failed';
      readonly code: string;
      readonly message: string;
    };

/** Starts each line's session, a bounded number at once, and tells what became of each line. */
export async function* startLines(
  sessions: PaymentSessions,
  lines: AsyncIterable<InputLine>,
  concurrency: number,
): AsyncIterable<LineResult> {
  const bad: LineResult[] = [];
  // Results come in the order of the inputs, so the oldest number is always the next result's.
  const numbers: number[] = [];
  async function* inputs(): AsyncIterable<PaymentSessionInput> {
    for await (const read of lines) {
      if ('problem' in read) {
        bad.push({ line: read.line, outcome: 'failed', code: 'INVALID_FILE', message: read.problem });
      } else {
        numbers.push(read.line);
        yield read.input;
      }
    }
  }
  for await (const result of sessions.startMany(inputs(), { concurrency })) {
    yield* bad.splice(0);
    const line = numbers.shift() ?? 0;
    const { key } = result;
    if ('error' in result) {
      const { code, message } = result.error;
      yield { line, ...(typeof key === 'string' && { key }), outcome: 'failed', code, message };
    } else {
      const { attached, session } = result;
      yield { line, key, outcome: attached ? 'attached' : 'started', workflowId: session.workflowId };
    }
  }
  yield* bad;
}
