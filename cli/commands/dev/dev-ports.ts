import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { InvalidArgumentError } from 'commander';
import { PaysessionError } from '../../../src/errors';
import { systemCode } from '../../../src/files';
import { DEV_PORTS, LISTEN_HOST } from '../../shared/parse-arguments';

/** A port that `dev` is to listen on. */
export interface WantedPort<Name extends string = string> {
  /** The name of the option, as commander has it. */
  readonly name: Name;
  /** The flag that sets the option. */
  readonly flag: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** True if the user has chosen the port. */
  readonly isChosen: boolean;
}

/**
 * Checks all ports before anything is started, and returns each under its name. With `takesFree`, 0 replaces each default that
 * is taken. Throws `PaysessionError` `PORT_IN_USE`, which names every other port that is taken and its flag, and
 * `InvalidArgumentError` if two flags name the same free port.
 */
export async function checkPorts<Name extends string>(
  wanted: readonly WantedPort<Name>[],
  { takesFree }: { readonly takesFree: boolean },
): Promise<Partial<Record<Name, number>>> {
  const held: Server[] = [];
  const taken: WantedPort[] = [];
  const ports: Partial<Record<Name, number>> = {};
  try {
    for (const one of wanted) {
      const twin = wanted.find((other) => ports[other.name] === one.port && !taken.includes(other));
      // Held until all are checked, so that a port that two flags name counts as taken for the second flag.
      const isFree = one.port === 0 || (await hold(one.port, held));
      const isReplaced = !isFree && takesFree && !one.isChosen;
      ports[one.name] = isReplaced ? 0 : one.port;
      if (isFree || isReplaced) continue;
      if (twin !== undefined)
        throw new InvalidArgumentError(
          `${twin.flag} and ${one.flag} name the same port, ${one.port}: change one.`,
        );
      taken.push(one);
    }
  } finally {
    await Promise.all(held.map((server) => once(server.close(), 'close')));
  }
  if (taken.length > 0) throw inUse(taken);
  return ports;
}

/** Listens on the port. Returns false if it is taken. Other problems are left for the port's own server to report. */
async function hold(port: number, held: Server[]): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen({ port, host: LISTEN_HOST }), 'listening');
    held.push(server);
    return true;
  } catch (error) {
    return systemCode(error) !== 'EADDRINUSE';
  }
}

function inUse(taken: readonly WantedPort[]): PaysessionError {
  const named = taken.map(({ flag, port }) => `${port} (${flag})`).join(', ');
  const what =
    taken.length === 1
      ? `Port ${named} is in use by another program.`
      : `Ports ${named} are in use by other programs.`;
  const beside = taken.some(({ flag, port }) => flag === '--temporal-port' && port === DEV_PORTS.temporal)
    ? ` If a Temporal server runs on ${DEV_PORTS.temporal}, --address ${LISTEN_HOST}:${DEV_PORTS.temporal} uses it.`
    : '';
  const choose = taken.length === 1 ? 'Choose another one with its flag' : 'Choose others with their flags';
  return new PaysessionError(
    'PORT_IN_USE',
    `${what} ${choose}, or let --free-ports replace the defaults that are taken.${beside}`,
  );
}
