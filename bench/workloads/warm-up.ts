import type { Side } from '../sides/side';

const SESSIONS = 10;

/** Opens and cancels a few sessions, so that a side is not measured while its code is cold. */
export async function warmUp({ sessions }: Side): Promise<void> {
  const keys = Array.from({ length: SESSIONS }, (_, index) => `warm-up-${index}`);
  await Promise.all(keys.map((key) => sessions.open(key, key)));
  await Promise.all(keys.map((key) => sessions.cancel(key)));
  await Promise.all(keys.map((key) => sessions.ended(key)));
}
