// Loaded before all other code, on any version of Node: this file imports nothing, and uses no new features.

/** True if the command line asks for JSON. Reads the arguments themselves, because a faulty command line yields no options. */
export function wantsJson(args: readonly string[] = process.argv.slice(2)): boolean {
  const end = args.indexOf('--');
  const options = end === -1 ? args : args.slice(0, end);
  return options.includes('--json') || options.includes('--jsonl');
}

/** An error that occurs before `report-error.ts` is loaded, which reports all others. */
interface EarlyError {
  readonly code: string;
  readonly message: string;
}

/** Prints the error, with `title` before its message or as one line of JSON, and ends the process. */
export function endEarly({ code, message }: EarlyError, title: string): never {
  // The value of `EXIT.badInput`, whose file is loaded later.
  const exitCode = 2;
  const error = { error: { code, message, exitCode } };
  process.stderr.write(wantsJson() ? `${JSON.stringify(error)}\n` : `${title}: ${message}\n`);
  process.exit(exitCode);
}
