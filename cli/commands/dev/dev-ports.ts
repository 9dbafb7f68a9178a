import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { InvalidArgumentError } from 'commander';
import { PaysessionError } from '../../../src/errors';
import { systemCode } from '../../../src/files';
import { DEV_PORTS, LISTEN_HOST } from '../../shared/parse-arguments';

/** A port on which `dev` will listen. */
export interface WantedPort<Name extends string = string> {
  /** The name of the option in commander, such as `uiPort`. */
  readonly name: Name;
  /** The flag that sets the option. */
  readonly flag: string;
  /** The port. If it is 0, the system chooses a free port. */
  readonly port: number;
  /** True if the user has set the port with the flag. */
  readonly isChosen: boolean;
}

/**
 * Checks all ports before anything is started. Returns the ports to use, by name. With `takesFree`, a default port that is taken is replaced by 0.
 *
 * Throws `PaysessionError` `PORT_IN_USE` if other ports are taken. The error names all of them and their flags. Throws `InvalidArgumentError` if two
 * flags name the same free port.
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
      // Each port is held until all ports are checked. So if two flags name the same port, it counts as taken for the second flag.
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

/** Listens on a port. Returns false if the port is taken. If there is another problem, returns true: the server of the port reports it later. */
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
