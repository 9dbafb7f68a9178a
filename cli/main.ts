#!/usr/bin/env node
// Before all that needs them.
import './packages';
import { CommanderError } from 'commander';
import { ERROR_CODES, PaysessionError } from '../src/errors';
import { SessionFailedError } from '../src/sessions';
import { EXIT, exitCodeOf } from './shared/exit-codes';
import { oneLine } from './shared/output';
import { createProgram } from './program';

async function main(): Promise<void> {
  // A reader that has seen enough, such as `head`, closes the pipe: there is nobody left to tell.
  process.stdout.on('error', () => process.exit(EXIT.ok));
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

/** Messages say what to do; those that a failed session carries say what happened, so the remedy comes after them. */
function describe(error: PaysessionError): string {
  const lines = [`error ${error.code}: ${error.message}`];
  if (error instanceof SessionFailedError) {
    const { remedy } = ERROR_CODES[error.code];
    const detail = error.failure.problem?.detail;
    if (detail != null) lines.push(detail);
    if (!error.message.includes(remedy)) lines.push(remedy);
  }
  return lines
    .flatMap((line) => line.split('\n'))
    .map(oneLine)
    .join('\n  ');
}

void main();
