import { explain, isErrorCode, isPaysessionError } from '../../src/errors';
import type { Fields } from './fields';

/** What is written of an error. */
export interface ErrorWords {
  /** Our own words for an error of ours: they hold no payload. */
  readonly message?: string;
  readonly fields: Fields;
}

/** gRPC's own name of a status in the native part's text: its message may quote what the server was sent. */
const GRPC_STATUS = /\b(?:code|status): '?"?(\w+)/;
const MOST_FRAMES = 8;
const MOST_CAUSES = 5;

/**
 * Words an error for the log. One of ours is told by its code, and its message is ours; the message of any other may quote
 * what it failed on, so only its name and where it happened are told.
 */
export function describeError(error: unknown): ErrorWords {
  if (typeof error === 'string') return describeText(error);
  const chain = causesOf(error);
  for (const one of chain) {
    const code = codeOf(one);
    if (code !== undefined) return { message: one.message, fields: { code } };
  }
  const last = chain.at(-1);
  return { fields: last === undefined ? {} : { error: last.name, ...where(last) } };
}

function causesOf(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  for (let one = error; one instanceof Error && chain.length < MOST_CAUSES; one = one.cause) chain.push(one);
  return chain;
}

/** An application failure has the code as its type. */
function codeOf(error: Error): string | undefined {
  if (isPaysessionError(error)) return error.code;
  const type: unknown = 'type' in error ? error.type : undefined;
  return typeof type === 'string' && isErrorCode(type) ? type : undefined;
}

function where({ stack = '' }: Error): Fields {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  if (frames.length === 0) return {};
  return {
    stack: frames
      .slice(0, MOST_FRAMES)
      .map((frame) => frame.trim())
      .join(' < '),
  };
}

/** The native part's text of a gRPC error. Calls of many kinds fail as the server goes: that is one thing to know. */
function describeText(text: string): ErrorWords {
  const status = GRPC_STATUS.exec(text)?.[1];
  if (status === undefined) return { fields: {} };
  if (status !== 'Unavailable') return { fields: { error: `gRPC ${status}` } };
  const code = 'ENGINE_UNAVAILABLE';
  return { message: explain(code), fields: { code } };
}
