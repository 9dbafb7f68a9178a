// This file is loaded before all other code, on any version of Node. So it imports nothing, and uses no new features of Node.

/** True if the command line has `--json` or `--jsonl`. Searches the raw arguments, because a faulty command line cannot be parsed. */
export function wantsJson(args: readonly string[] = process.argv.slice(2)): boolean {
  const end = args.indexOf('--');
  const options = end === -1 ? args : args.slice(0, end);
  return options.includes('--json') || options.includes('--jsonl');
}

/** An error that occurs early, before `report-error.ts` is loaded. That module reports all later errors. */
interface EarlyError {
  readonly code: string;
  readonly message: string;
}

/** Prints an error and ends the process. Prints `title` and the message, or a line of JSON if the command line asks for JSON. */
export function endEarly({ code, message }: EarlyError, title: string): never {
  // The value of `EXIT.badInput`. The file that defines it is not loaded yet.
  const exitCode = 2;
  const error = { error: { code, message, exitCode } };
  process.stderr.write(wantsJson() ? `${JSON.stringify(error)}\n` : `${title}: ${message}\n`);
  process.exit(exitCode);
}
