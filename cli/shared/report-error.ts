import { CommanderError, InvalidArgumentError } from 'commander';
import {
  ERROR_CODES,
  explain,
  isPaysessionError,
  PaysessionError,
  rowOf,
  type ErrorCode,
  withRemedy,
} from '../../src/errors';
import { EXIT, exitCodeOf } from './exit-codes';
import { wantsJson } from './early-error';
import { oneLine, asTyped } from './output';
import { colorsOf, wrapped, type Screen } from './terminal';
import { systemCode, MissingPackagesError } from '../../src/files';
import { GRPC, grpcAnswerOf } from '../../src/protocol/temporal/grpc';

/** The form in which `--json` prints an error. */
interface ErrorObject {
  /** An error code of the package, `INVALID_ARGUMENTS`, `MODULE_NOT_FOUND` or `UNEXPECTED`. */
  readonly code: string;
  readonly message: string;
  /** The next step for the user, if there is one. */
  readonly remedy?: string;
  /** The fields or settings that are wrong. Present only for some error codes. */
  readonly failures?: unknown;
}

/** Prints an error on standard error, and returns the exit code. With `--json` or `--jsonl`, prints the error as one line of JSON. */
export function reportError(caught: unknown): number {
  const { stderr } = process;
  const error = toFileError(caught) ?? toTemporalError(caught) ?? caught;
  const isOfCommander = error instanceof CommanderError;
  if (isOfCommander && error.exitCode === 0) return EXIT.ok;
  const exitCode = isOfCommander ? EXIT.badInput : exitCodeOf(error);
  if (wantsJson()) stderr.write(`${JSON.stringify({ error: { ...toObject(error), exitCode } })}\n`);
  // Commander has already printed its own errors. An `InvalidArgumentError` here was thrown by a command, and is not printed yet.
  else if (!isOfCommander || error instanceof InvalidArgumentError)
    stderr.write(`${toText(error, stderr)}\n`);
  return exitCode;
}

function toText(error: unknown, screen: Screen): string {
  const { red } = colorsOf(screen);
  if (error instanceof MissingPackagesError || error instanceof InvalidArgumentError)
    return wrapped(`${red('error:')} ${asTyped(error.message)}`, screen, 2);
  if (!isPaysessionError(error))
    return String(error instanceof Error ? (error.stack ?? error.message) : error);
  const [first = '', ...others] = asTyped(explain(error)).split('\n').map(oneLine);
  return [`${red(`error ${error.code}:`)} ${first}`, ...others]
    .map((line) => wrapped(line, screen, 2))
    .join('\n  ');
}

function toObject(error: unknown): ErrorObject {
  if (isPaysessionError(error)) {
    const remedy = rowOf(error.code)?.remedy;
    return {
      code: error.code,
      message: explain(error),
      ...(remedy !== undefined && { remedy }),
      ...('failures' in error && { failures: error.failures }),
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof MissingPackagesError) return { code: error.code, message };
  if (error instanceof CommanderError)
    return { code: 'INVALID_ARGUMENTS', message: message.replace(/^error: /, '') };
  return { code: 'UNEXPECTED', message };
}

/** The system's error codes for a file or folder that cannot be used: no rights, no room on the disk, or a path that leads through a file. */
const UNUSABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENOSPC']);

/** Converts an error of the file system to a `PaysessionError` with a clear message. Returns `undefined` for other errors. */
function toFileError(error: unknown): PaysessionError | undefined {
  const code = systemCode(error);
  if (code === undefined || !UNUSABLE.has(code)) return undefined;
  if (!(error instanceof Error && 'path' in error && typeof error.path === 'string')) return undefined;
  const message = `${error.path} cannot be used (${code}). Choose a file or folder that this user may read and write.`;
  return new PaysessionError('INVALID_FILE', message, { cause: error });
}

const TEMPORAL_CODES: Readonly<Record<number, ErrorCode>> = {
  [GRPC.UNAVAILABLE]: 'TEMPORAL_UNAVAILABLE',
  [GRPC.DEADLINE_EXCEEDED]: 'TEMPORAL_UNAVAILABLE',
  [GRPC.RESOURCE_EXHAUSTED]: 'TEMPORAL_BUSY',
};

/** Converts the error of a call that the Temporal server refused or did not answer. Returns `undefined` for other errors. */
function toTemporalError(error: unknown): PaysessionError | undefined {
  const answer = isPaysessionError(error) ? undefined : grpcAnswerOf(error);
  if (answer === undefined) return undefined;
  const code = TEMPORAL_CODES[answer.code] ?? 'TEMPORAL_REFUSED';
  const happened = `${ERROR_CODES[code].meaning} (${answer.details || answer.message})`;
  return new PaysessionError(code, withRemedy(code, happened), { cause: error });
}
