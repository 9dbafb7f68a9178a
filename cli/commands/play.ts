import { Argument, type Command } from 'commander';
import type { Choice } from '../../sandbox/sessions/playing';
import { leadsHere } from '../../src/contract/values/loopback';
import { PaysessionError } from '../../src/errors';
import { formatState, oneLine, printJson, printLine, type JsonOption } from '../shared/output';
import { parsePort, DEV_PORTS } from '../shared/parse-arguments';
import { styledState } from '../shared/session-state';
import { withSessions } from '../shared/sessions';
import { isRecord } from '../../src/contract/values/json';

/** Possible acts, and their names in the scenarios. */
const PLAYS: Readonly<Record<string, Choice>> = {
  completes: 'completed',
  'awaits-signature': 'bankValidated',
  signs: 'padSigned',
  'login-fails': 'loginFailed',
  'identity-fails': 'identityFailed',
  'lacks-funds': 'insufficientFunds',
  'lacks-guarantee': 'noGuarantee',
  cancels: 'cancelled',
  expires: 'expired',
};

interface PlayOptions extends JsonOption {
  readonly controlPort?: number;
}

export function registerPlay(program: Command): void {
  program
    .command('play')
    .description('play the payor of a session in the sandbox of this machine')
    .argument('<key>', 'the session’s key')
    .addArgument(new Argument('<what>', 'what happens at once').choices(Object.keys(PLAYS)))
    .option('--control-port <n>', 'the control port of the sandbox (default: as the sandbox says)', parsePort)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession play order-1042 completes')
    .action(play);
}

/** Refreshes the session at once, because its next poll may be minutes away. */
async function play(key: string, what: string, { controlPort: given, json }: PlayOptions): Promise<void> {
  await withSessions(async (sessions) => {
    const session = sessions.get(key);
    const { sessionId, checkoutUrl } = await session.opened();
    const controlPort = given ?? (await findControlPort(checkoutUrl));
    const answer = await ask(controlPort, { sessionId, choice: PLAYS[what] });
    if (!json) printLine(`in the sandbox: ${told(answer)}`);
    const state = await session.refresh();
    if (json) printJson(state);
    else printLine(`${oneLine(key)}: ${styledState(state)}, ${state.paid ? 'paid' : 'not paid'}`);
  });
}

/** Returns the session as the sandbox has changed it. Throws a `PaysessionError` that says why if it cannot. */
async function ask(
  port: number,
  { sessionId, choice }: { readonly sessionId: string; readonly choice: Choice | undefined },
): Promise<Readonly<Record<string, unknown>>> {
  const response = await askControlPort(port, `/sessions/${encodeURIComponent(sessionId)}/play`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ choice }),
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.status === 404)
    throw new PaysessionError('SERVICE_SESSION_UNKNOWN', `The sandbox of ${controlAddress(port)} ${UNKNOWN}`);
  if (response.ok && isRecord(answer)) return answer;
  const why = isRecord(answer) ? String(answer['detail'] ?? answer['title']) : `status ${response.status}`;
  throw new PaysessionError('INVALID_INPUT', `The sandbox changes nothing: ${oneLine(why)}`);
}

const UNKNOWN =
  'does not know the session: it belongs to another sandbox, or to a payment service. Name that sandbox’s --control-port.';

function told({ status, statusDetails }: Readonly<Record<string, unknown>>): string {
  return formatState({
    status: String(status),
    ...(typeof statusDetails === 'string' && { code: statusDetails }),
  });
}

const ANSWER_MS = 10_000;
const START_ONE =
  'Start `paysession dev`, or `paysession sandbox` with --control-port, and name that port here if it is another.';

/** URL of the control port of a sandbox on this machine. */
const controlAddress = (port: number): string => `http://127.0.0.1:${port}`;

/** The control port of the sandbox that serves a checkout URL, as that sandbox names it; otherwise the port of `dev`. */
async function findControlPort(checkoutUrl: string): Promise<number> {
  const { hostname, origin } = new URL(checkoutUrl);
  // Other payment services are not called.
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
