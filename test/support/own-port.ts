import { freePort } from '../../src/temporal-server/start-server';

/** Below those that systems give to outgoing connections, one of which may get a free port before its server does. */
const [FIRST, MANY] = [20_000, 10_000];
const MOST_TRIES = 50;

/** A free port for a server that starts later. */
export async function ownPort(): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await freePort(FIRST + Math.floor(Math.random() * MANY));
    } catch (error) {
      if (tries === MOST_TRIES) throw error;
    }
  }
}
