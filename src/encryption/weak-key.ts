/** A random key of 32 bytes holds 30 different ones on average; fewer than this would come once in 10^30 keys. */
const FEWEST_DIFFERENT_BYTES = 12;

/**
 * Whether somebody typed or filled in the key: all zero, one byte or a short pattern again and again, counting up or down.
 * It cannot tell a password from chance.
 */
export function isWeak(secret: Uint8Array): boolean {
  if (new Set(secret).size < FEWEST_DIFFERENT_BYTES) return true;
  return repeats(secret) || repeats(steps(secret));
}

/** Whether the bytes are one pattern, at least twice. */
function repeats(bytes: Uint8Array): boolean {
  const longest = Math.floor(bytes.length / 2);
  const lengths = Array.from({ length: longest }, (_, index) => index + 1);
  return lengths.some((length) => bytes.every((byte, at) => byte === bytes[at % length]));
}

/** The differences between neighbours: all the same in a key that counts. */
function steps(bytes: Uint8Array): Uint8Array {
  return bytes.slice(1).map((byte, at) => byte - (bytes[at] ?? 0));
}
