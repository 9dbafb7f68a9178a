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
  process.stdout.on('error', (error: Error) => {
    // A program that needs no more lines, such as `head`, closes the pipe. That is no error. Other failures, such as a full disk, are errors.
    const isPipeClosed = systemCode(error) === 'EPIPE';
    process.exit(isPipeClosed ? EXIT.ok : reportError(`Standard output cannot be written: ${error.message}`));
  });
  try {
    await createProgram().parseAsync();
  } catch (error) {
    process.exitCode = reportError(error);
  }
  process.exit();
}

void main();
