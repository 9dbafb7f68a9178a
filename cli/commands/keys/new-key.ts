import { randomBytes } from 'node:crypto';
import { KEY_BYTES } from '../../../src/encryption';

/** A fresh key as a setting takes it. */
export interface NewKey {
  readonly id: string;
  /** `ID:KEY` */
  readonly line: string;
}

/** @param taken ids that are in use already */
export function newKey(taken: readonly string[], now: Date, asked?: string): NewKey {
  const id = asked ?? freeId(taken, now);
  return { id, line: `${id}:${randomBytes(KEY_BYTES).toString('base64')}` };
}

/** The day, so that ids sort by age; a second key of the day has a letter. */
function freeId(taken: readonly string[], now: Date): string {
  const day = now.toISOString().slice(0, 10);
  if (!taken.includes(day)) return day;
  const letters = 'bcdefghijklmnopqrstuvwxyz'.split('');
  return (
    letters.map((letter) => `${day}-${letter}`).find((id) => !taken.includes(id)) ?? `${day}-${now.getTime()}`
  );
}
