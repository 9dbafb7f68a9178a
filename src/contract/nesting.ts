/** The deepest nesting of arrays and objects in JSON from outside; the contract's own needs six levels. */
export const MAX_JSON_DEPTH = 32;

/**
 * Whether JSON text nests arrays and objects deeper than `MAX_JSON_DEPTH`. It does not recurse, and looks at the text
 * rather than at a value, since whatever walks a value that deep may overflow the stack. Text that is not JSON may be
 * judged either way.
 */
export function isNestedTooDeeply(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > MAX_JSON_DEPTH) return true;
  }
  return false;
}

/** Where the string that begins at `start` has its closing quote, or where the text ends. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return text.length;
}
