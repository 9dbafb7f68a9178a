import { spread, type Spread } from '../figures/quantiles';
import { withSides, type BothSides } from '../sides/both-sides';
import { warmUp } from './warm-up';

export interface CheckoutUrls {
  /** The time from the client's call until it has the checkout URL, in milliseconds. */
  readonly openMs: Spread;
}

/** The interval between polls. It is so long that no session is polled during the measurement. */
const POLLS_EVERY_MS = 600_000;

/**
 * Measures how soon a payor can be redirected to the checkout URL. The sides take turns. Each opens one session at a
 * time, so that no session waits for another session.
 */
export function checkoutUrls(sessions: number): Promise<BothSides<CheckoutUrls>> {
  const policy = { fastestPoll: POLLS_EVERY_MS, slowestPoll: POLLS_EVERY_MS };
  return withSides({ policy, baselinePollsEveryMs: POLLS_EVERY_MS }, async (sides) => {
    await Promise.all(sides.map((side) => warmUp(side)));
    const times: readonly number[][] = sides.map(() => []);
    for (let session = 0; session < sessions; session += 1) {
      for (const [index, side] of sides.entries()) {
        const startedAtMs = performance.now();
        await side.sessions.open(`session-${session}`, `session-${session}`);
        times[index]?.push(performance.now() - startedAtMs);
      }
    }
    return times.map((openMs) => ({ openMs: spread(openMs) }));
  });
}
