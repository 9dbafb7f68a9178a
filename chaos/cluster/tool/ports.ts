import { isPaysessionError } from '../../../src';
import { freePort } from '../../../src/temporal-server/start-server';

/**
 * Below those that systems give to outgoing connections: a node that is started again finds its port free, though clients
 * connect meanwhile.
 */
const LOWEST = 12_000;
const HIGHEST = 32_000;
const MAX_TRIES = 20;

/** Ports in a row that are free on the loopback address now. */
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
