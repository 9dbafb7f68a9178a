#!/usr/bin/env node
// Checks the version of Node before any code is loaded that an older Node cannot run.
import './node-version';
// Before the other imports: turns on the cache of compiled code, and checks that the packages of the command line are installed.
import './prepare';
import { systemCode } from '../src/files';
import { EXIT } from './shared/exit-codes';
import { reportError } from './shared/report-error';
import { createProgram } from './program';

async function main(): Promise<void> {
  process.stdout.on('error', (error: Error) => {
    // A reader that needs no more lines, such as `head`, closes the pipe, which is not an error. A full disk is an error.
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
