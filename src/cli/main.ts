#!/usr/bin/env node
import { CommanderError } from 'commander';
import { ERROR_CODES, PaysessionError } from '../errors';
import { SessionFailedError } from '../sessions';
import { EXIT, exitCodeOf } from './exit-codes';
import { createProgram } from './program';

async function main(): Promise<void> {
  try {
    await createProgram().parseAsync();
  } catch (error) {
    process.exitCode = report(error);
  }
  process.exit();
}

/** Prints one clear message and gives the exit code. Commander has printed its own. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.badInput;
  if (error instanceof PaysessionError) process.stderr.write(`${describe(error)}\n`);
  else process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return exitCodeOf(error);
}

function describe(error: PaysessionError): string {
  const { remedy } = ERROR_CODES[error.code];
  const detail = error instanceof SessionFailedError ? error.failure.problem?.detail : undefined;
  return [
    `error ${error.code}: ${error.message}`,
    detail,
    error.message.includes(remedy) ? undefined : remedy,
  ]
    .filter((line) => line != null)
    .join('\n  ');
}

void main();
