/** A JSON object with any members. */
export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `T` without `undefined`: a member that could be `undefined` may be absent. */
type Defined<T> = {
  [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name];
} & { [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined> };

/** Returns the object without the members that are `undefined`. */
export const defined = <T extends object>(members: T): Defined<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;

/**
 * The deepest nesting of arrays and objects in JSON from outside. A session's input has four levels. Much deeper nesting overflows
 * stacks.
 */
export const MAX_JSON_DEPTH = 32;
/** More members than any input has; shared parts of a value count each time. */
const MAX_MEMBERS = 100_000;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const OPENING = [0x5b, 0x7b];
const CLOSING = [0x5d, 0x7d];

/**
 * True if a JSON text nests deeper than {@link MAX_JSON_DEPTH}. The check runs before parsing and without recursion. Bytes are UTF-8. For a
 * text that is not JSON, the answer may be either.
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

/** True if a value nests deeper than {@link MAX_JSON_DEPTH}, refers to itself, or has more members than any input. */
export function isTooDeep(value: unknown): boolean {
  const ahead: (readonly [value: object, depth: number])[] = isNested(value) ? [[value, 1]] : [];
  let members = 0;
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    const [container, depth] = next;
    if (depth > MAX_JSON_DEPTH) return true;
    for (const member of Object.values(container) as unknown[]) {
      members += 1;
      if (members > MAX_MEMBERS) return true;
      if (isNested(member)) ahead.push([member, depth + 1]);
    }
  }
  return false;
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;
