/**
 * Whether the command line is asked for JSON. Read from the arguments themselves, because a faulty command line never
 * becomes options.
 */
export function wantsJson(args: readonly string[] = process.argv.slice(2)): boolean {
  const end = args.indexOf('--');
  const options = end === -1 ? args : args.slice(0, end);
  return options.includes('--json') || options.includes('--jsonl');
}
