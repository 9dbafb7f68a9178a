import { explain } from '../../../../src/errors';
import type { PaymentSessions, SessionEnd, StartedSession } from '../../../../src/sessions';
import { failureOf } from '../../../shared/session/failed-before';
import type { InputLine } from './read-lines';
import type { PaymentSessionInput } from '../../../../src/protocol/input';

/** What became of one line. */
export type LineResult =
  | {
      readonly line: number;
      readonly key: string;
      readonly outcome: 'started' | 'attached';
      readonly workflowId: string;
      /** How the session had ended that it attached to. */
      readonly end?: SessionEnd;
    }
  | {
      readonly line: number;
      readonly key?: string;
      readonly outcome: 'failed';
      readonly code: string;
      readonly message: string;
      /** Whether the key has a session, with the same request, which has failed. */
      readonly attached?: true;
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
      yield { line, ...(key !== '' && { key }), outcome: 'failed', code, message };
    } else {
      yield { line, key, ...lineOf(result) };
    }
  }
  yield* bad;
}

/** A session that has failed is no success, whoever started it. */
function lineOf({ attached, end, session: { workflowId } }: StartedSession) {
  const code = failureOf(end);
  if (code !== undefined) return { outcome: 'failed', code, message: explain(code), attached: true } as const;
  return {
    outcome: attached ? 'attached' : 'started',
    workflowId,
    ...(end !== undefined && { end }),
  } as const;
}
