#!/usr/bin/env node
// Before all that needs them.
import './packages';
import { CommanderError } from 'commander';
import { explain, isPaysessionError } from '../src/errors';
import { MissingPackagesError } from '../src/files/optional-packages';
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
  process.stderr.write(`${describe(error)}\n`);
  return exitCodeOf(error);
}

function describe(error: unknown): string {
  if (error instanceof MissingPackagesError) return `error: ${error.message}`;
  if (!isPaysessionError(error))
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  const text = `error ${error.code}: ${explain(error)}`;
  return text.split('\n').map(oneLine).join('\n  ');
}

void main();
