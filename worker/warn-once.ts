/** Who sends payloads chooses the ids of their keys: they must not fill the log. */
const MAX_WARNINGS = 100;

/** Warns of each thing once, however often it is met. */
export function warnOnce(warn: (message: string) => void): (message: string) => void {
  const warned = new Set<string>();
  return (message) => {
    if (warned.has(message) || warned.size >= MAX_WARNINGS) return;
    warned.add(message);
    warn(message);
  };
}
