import { isRecord } from '../../../src/contract/values/json';
import { leadsHere } from '../../../src/contract/values/loopback';
import { PaysessionError } from '../../../src/errors';
import { DEV_PORTS } from '../../shared/input/ports';

const ANSWER_MS = 10_000;
const START_ONE =
  'Start `paysession dev`, or `paysession sandbox` with --control-port, and name that port here if it is another.';

/** Where the control port of a sandbox of this machine is. */
export const controlAddress = (port: number): string => `http://127.0.0.1:${port}`;

/** The control port of the sandbox that serves a checkout URL, as that sandbox names it; otherwise the port of `dev`. */
export async function findControlPort(checkoutUrl: string): Promise<number> {
  const { hostname, origin } = new URL(checkoutUrl);
  // A payment service elsewhere is asked nothing.
  const controlUrl = leadsHere(hostname) ? await readControlUrl(origin) : undefined;
  return controlUrl === undefined ? DEV_PORTS.control : Number(new URL(controlUrl).port);
}

async function readControlUrl(origin: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${origin}/control.json`, { signal: AbortSignal.timeout(ANSWER_MS) });
    const answer: unknown = response.ok ? await response.json() : undefined;
    const url = isRecord(answer) ? answer['controlUrl'] : undefined;
    return typeof url === 'string' && URL.canParse(url) ? url : undefined;
  } catch {
    // The call to the control port says what is wrong.
    return undefined;
  }
}

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
