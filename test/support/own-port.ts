import { freePort } from '../../src/temporal-server/start-server';

/**
 * The range of the ports. Systems use higher ports for outgoing connections. So an outgoing connection cannot take a port that
 * `ownPort` has found.
 */
const [FIRST, MANY] = [20_000, 10_000];
const MOST_TRIES = 50;

/** Finds a free port for a server that the test starts later. */
export async function ownPort(): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await freePort(FIRST + Math.floor(Math.random() * MANY));
    } catch (error) {
      if (tries === MOST_TRIES) throw error;
    }
  }
}
