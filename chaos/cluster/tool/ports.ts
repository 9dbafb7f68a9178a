import { isPaysessionError } from '../../../src';
import { freePort } from '../../../src/temporal-server/start-server';

/**
 * The range lies below the ports that systems use for outgoing connections. So while a node restarts, no client's connection can take its
 * port.
 */
const LOWEST = 12_000;
const HIGHEST = 32_000;
const MAX_TRIES = 20;

/** Finds consecutive ports that are free on the loopback address. */
export async function freePorts(count: number): Promise<readonly number[]> {
  for (let tried = 1; ; tried += 1) {
    const first = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST - count));
    const ports = Array.from({ length: count }, (_, index) => first + index);
    try {
      return await Promise.all(ports.map(freePort));
    } catch (error) {
      if (!isPaysessionError(error, 'PORT_IN_USE') || tried === MAX_TRIES) throw error;
    }
  }
}
