import type { Side } from '../sides/side';

const SESSIONS = 10;

/** Opens and cancels a few sessions. Afterwards, the code of the side's processes is loaded and compiled. */
export async function warmUp({ sessions }: Side): Promise<void> {
  const keys = Array.from({ length: SESSIONS }, (_, index) => `warm-up-${index}`);
  await Promise.all(keys.map((key) => sessions.open(key, key)));
  await Promise.all(keys.map((key) => sessions.cancel(key)));
  await Promise.all(keys.map((key) => sessions.ended(key)));
}
