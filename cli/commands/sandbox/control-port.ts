import { PaysessionError } from '../../../src/errors';

const ANSWER_MS = 10_000;
const START_ONE =
  'Start `paysession dev`, or `paysession sandbox` with --control-port, and name that port here if it is another.';

/** Where the control port of a sandbox of this machine is. */
export const controlAddress = (port: number): string => `http://127.0.0.1:${port}`;

/** Asks a sandbox of this machine on its control port. Throws `PaysessionError` `SERVICE_UNREACHABLE` where none answers. */
export async function askControlPort(
  port: number,
  path: string,
  request: RequestInit = {},
): Promise<Response> {
  const place = controlAddress(port);
  try {
    return await fetch(`${place}${path}`, { ...request, signal: AbortSignal.timeout(ANSWER_MS) });
  } catch (cause) {
    const message = `No sandbox answers on its control port at ${place}. ${START_ONE}`;
    throw new PaysessionError('SERVICE_UNREACHABLE', message, { cause });
  }
}
