import { Readable } from 'node:stream';
import { isRecord } from '../../contract/values/json';
import { isPaysessionError, type PaysessionError } from '../../errors';
import type { PaymentSessionHandle } from '../payment-session-handle';
import type { StartAnswer } from './taken-key';
import type { PaymentSessionInput } from '../../protocol/input';

/** Options of `startMany`. */
export interface StartManyOptions {
  /** How many sessions to start at once. @default 20 */
  readonly concurrency?: number;
}

/** A session, whether the key had it already, and how it had ended then. */
export interface StartedSession extends StartAnswer {
  /** The session, to follow or cancel it. */
  readonly session: PaymentSessionHandle;
}

/** The outcome of one input: its session, started now or before, or why it was not started. The key of one that names none is empty. */
export type StartManyResult =
  ({ readonly key: string } & StartedSession) | { readonly key: string; readonly error: PaysessionError };

type Start = (input: PaymentSessionInput) => Promise<StartedSession>;

/** Starts each input, a bounded number at once, and returns what became of them in their order. */
export function startEach(
  start: Start,
  inputs: AsyncIterable<PaymentSessionInput> | Iterable<PaymentSessionInput>,
  { concurrency = 20 }: StartManyOptions = {},
): AsyncIterable<StartManyResult> {
  return Readable.from(boxed(inputs)).map(({ input }: Boxed) => startOne(start, input), { concurrency });
}

/** A stream ends with `null`, so none may stand for itself. */
interface Boxed {
  readonly input: PaymentSessionInput;
}

async function* boxed(
  inputs: AsyncIterable<PaymentSessionInput> | Iterable<PaymentSessionInput>,
): AsyncIterable<Boxed> {
  for await (const input of inputs) yield { input };
}

async function startOne(start: Start, input: PaymentSessionInput): Promise<StartManyResult> {
  const key = keyOf(input);
  try {
    return { key, ...(await start(input)) };
  } catch (error) {
    if (isPaysessionError(error)) return { key, error };
    throw error;
  }
}

/** Untyped callers give other things, too. */
function keyOf(input: unknown): string {
  return isRecord(input) && typeof input['key'] === 'string' ? input['key'] : '';
}
