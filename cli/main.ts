#!/usr/bin/env node
// Before any code that an older Node cannot run.
import './node-version';
// Before any code that is compiled, or needs packages.
import './prepare';
import { EXIT } from './shared/exit-codes';
import { reportError } from './shared/report-error';
import { createProgram } from './program';

async function main(): Promise<void> {
  // A reader that has seen enough, such as `head`, closes the pipe: no one is left to read an error.
  process.stdout.on('error', () => process.exit(EXIT.ok));
  try {
    await createProgram().parseAsync();
  } catch (error) {
    process.exitCode = reportError(error);
  }
  process.exit();
}

void main();
