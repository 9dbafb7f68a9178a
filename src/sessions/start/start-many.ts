import { Readable } from 'node:stream';
import { isPaysessionError, type PaysessionError } from '../../errors';
import type { PaymentSessionInput } from '../../protocol/input';
import type { PaymentSessionHandle } from '../payment-session-handle';

/** Options of `startMany`. */
export interface StartManyOptions {
  /** How many starts are under way at once. @default 20 */
  readonly concurrency?: number;
}

/** A session, and whether it existed already. */
export interface StartedSession {
  readonly session: PaymentSessionHandle;
  readonly attached: boolean;
}

/** What became of one input: its session, started now or before, or why it was not started. */
export type StartManyResult =
  ({ readonly key: string } & StartedSession) | { readonly key: string; readonly error: PaysessionError };

type Start = (input: PaymentSessionInput) => Promise<StartedSession>;

/** Starts each input, a bounded number at once, and returns what became of them in their order. */
export function startEach(
  start: Start,
  inputs: AsyncIterable<PaymentSessionInput> | Iterable<PaymentSessionInput>,
  { concurrency = 20 }: StartManyOptions = {},
): AsyncIterable<StartManyResult> {
  return Readable.from(inputs).map((input: PaymentSessionInput) => startOne(start, input), { concurrency });
}

async function startOne(start: Start, input: PaymentSessionInput): Promise<StartManyResult> {
  const { key } = input;
  try {
    return { key, ...(await start(input)) };
  } catch (error) {
    if (isPaysessionError(error)) return { key, error };
    throw error;
  }
}
