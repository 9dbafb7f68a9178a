/** A JSON object with any members. */
export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `T` with each member that could be `undefined` made optional. */
type Defined<T> = {
  [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name];
} & { [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined> };

/** Returns the object without the members that are `undefined`. */
export const defined = <T extends object>(members: T): Defined<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;

/**
 * The deepest nesting of arrays and objects that JSON from outside may have. A session's input needs four levels. Much deeper nesting
 * overflows stacks.
 */
export const MAX_JSON_DEPTH = 32;
/** The maximum number of members in a value. A shared part counts each time. */
const MAX_MEMBERS = 100_000;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const OPENING = [0x5b, 0x7b];
const CLOSING = [0x5d, 0x7d];

/**
 * True if a JSON text nests deeper than {@link MAX_JSON_DEPTH}. Neither parses the text nor recurses. Bytes must be UTF-8. If the text is
 * not JSON, the result is arbitrary.
 */
export function isNestedTooDeeply(json: Uint8Array | string): boolean {
  const at =
    typeof json === 'string' ? (index: number) => json.charCodeAt(index) : (index: number) => json[index];
  let depth = 0;
  let inText = false;
  for (let index = 0; index < json.length; index += 1) {
    const unit = at(index) ?? 0;
    if (inText) {
      if (unit === BACKSLASH) index += 1;
      else if (unit === QUOTE) inText = false;
    } else if (unit === QUOTE) inText = true;
    else if (OPENING.includes(unit)) depth += 1;
    else if (CLOSING.includes(unit)) depth -= 1;
    if (depth > MAX_JSON_DEPTH) return true;
  }
  return false;
}

/** Returns what is wrong with a value that refers to itself, nests too deeply or has too many members. Otherwise returns `undefined`. */
export function nestingFault(value: unknown): string | undefined {
  /** The objects still to examine. Each item is a path: the containing objects, then the object itself. */
  const ahead: (readonly object[])[] = isNested(value) ? [[value]] : [];
  let members = 0;
  for (let path = ahead.pop(); path !== undefined; path = ahead.pop()) {
    if (path.length > MAX_JSON_DEPTH) return `must not nest deeper than ${MAX_JSON_DEPTH} levels`;
    for (const member of Object.values(path.at(-1) ?? {}) as unknown[]) {
      members += 1;
      if (members > MAX_MEMBERS) return `must not have more than ${MAX_MEMBERS} members`;
      if (!isNested(member)) continue;
      if (path.includes(member)) return 'must not refer to itself';
      ahead.push([...path, member]);
    }
  }
  return undefined;
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;
