#!/usr/bin/env node
// First: checks the version of Node, because an older Node could not load the code below.
import './node-version';
// Second: turns on the cache of compiled code, and checks that the packages of the command line are installed.
import './prepare';
import { systemCode } from '../src/files';
import { EXIT } from './shared/exit-codes';
import { reportError } from './shared/report-error';
import { createProgram } from './program';

async function main(): Promise<void> {
  for (const output of [process.stdout, process.stderr]) output.on('error', stop);
  try {
    await createProgram().parseAsync();
  } catch (error) {
    process.exitCode = reportError(error);
  }
  await Promise.all([process.stdout, process.stderr].map(written));
  process.exit();
}

/**
 * Stops because an output cannot be written. A program that needs no more lines, such as `head`, closes the pipe. Other failures, such
 * as a full disk, are reported.
 */
function stop(error: Error): void {
  const isPipeClosed = systemCode(error) === 'EPIPE';
  process.exit(
    isPipeClosed
      ? process.exitCode || EXIT.unread
      : reportError(`Standard output cannot be written: ${error.message}`),
  );
}

/** Resolves once an output has been written. If it is a pipe, `process.exit` would drop what its reader has not taken yet. */
const written = (output: NodeJS.WritableStream): Promise<void> =>
  new Promise((resolve) => {
    output.write('', (error) => {
      if (error == null) resolve();
    });
  });

void main();
