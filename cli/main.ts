#!/usr/bin/env node
// Before any code that an older Node cannot run.
import './node-version';
// Before the other imports: keeps their compiled code, and checks that the packages are installed.
import './prepare';
import { systemCode } from '../src/files';
import { EXIT } from './shared/exit-codes';
import { reportError } from './shared/report-error';
import { createProgram } from './program';

async function main(): Promise<void> {
  process.stdout.on('error', (error: Error) => {
    // A reader that has seen enough, such as `head`, closes the pipe. A full disk is an error.
    const isRead = systemCode(error) === 'EPIPE';
    process.exit(isRead ? EXIT.ok : reportError(`Standard output cannot be written: ${error.message}`));
  });
  try {
    await createProgram().parseAsync();
  } catch (error) {
    process.exitCode = reportError(error);
  }
  process.exit();
}

void main();
