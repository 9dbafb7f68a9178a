import type { PaymentSessionHandle } from '../../src';

const LONGEST_S = 600;

/**
 * Returns the first session whose next call is delayed by a pause of its account. Checks the sessions each second of virtual time,
 * for at most ten minutes.
 */
export async function newlyPaused(
  advance: (time: '1s') => Promise<unknown>,
  sessions: readonly PaymentSessionHandle[],
): Promise<PaymentSessionHandle> {
  const troubles = () => Promise.all(sessions.map(async (session) => (await session.state()).trouble));
  let before = await troubles();
  for (let second = 0; second < LONGEST_S; second += 1) {
    await advance('1s');
    const now = await troubles();
    const index = now.findIndex(
      (trouble, at) => trouble?.code === 'SERVICE_PAUSED' && trouble.until !== before[at]?.until,
    );
    const found = sessions[index];
    if (found !== undefined) return found;
    before = now;
  }
  throw new Error('no session was paused within ten minutes');
}
