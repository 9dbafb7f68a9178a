/** Returns all texts and bytes within a value, including payloads, as one text. */
export function everythingIn(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, member]) => `${name} ${everythingIn(member)}`)
    .join(' ');
}
