import { InvalidArgumentError } from 'commander';

/** The ports that `dev` uses unless told otherwise. */
export const DEV_PORTS = { engine: 7233, ui: 8233, sandbox: 4010, shop: 4020 } as const;

export function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new InvalidArgumentError('must be a port number (0 takes a free one).');
  }
  return port;
}
