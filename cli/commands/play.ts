import { Argument, type Command } from 'commander';
import type { Choice } from '../../sandbox/sessions/playing';
import { leadsHere } from '../../src/contract/values/loopback';
import { PaysessionError, SettingsError } from '../../src/errors';
import type { PaymentLedger, ReconciledLine } from '../../ledger';
import { EXIT } from '../shared/exit-codes';
import { formatState, oneLine, printJson, printLine, type JsonOption } from '../shared/output';
import { parsePort, DEV_PORTS } from '../shared/parse-arguments';
import { styledState } from '../shared/session-state';
import { withSessions } from '../shared/sessions';
import { flatLine } from './reconcile';
import { isRecord } from '../../src/contract/values/json';

/** The actions that can be played, and their names in the sandbox. The payor does them, except for `cancels` (the merchant) and `expires` (time). */
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

/** The movements of money that can be played, and the kinds of lines with which a reconciliation file reports them. */
const MOVES: Readonly<Record<string, string>> = { settles: 'settled', returns: 'returned' };

interface PlayOptions extends JsonOption {
  readonly controlPort?: number;
}

export function registerPlay(program: Command): void {
  program
    .command('play')
    .description('play the payor of a session, or move its money, in the sandbox of this machine')
    .argument('<key>', 'the session’s key')
    .addArgument(
      new Argument('<what>', 'what happens at once').choices([...Object.keys(PLAYS), ...Object.keys(MOVES)]),
    )
    .argument('[code]', 'the reason of `returns`, such as 905 (default: 901, not sufficient funds)')
    .option(
      '--control-port <n>',
      'the control port of the sandbox (default: the port that the sandbox names)',
      parsePort,
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\n`settles` and `returns` are for a paid session. The command records them in the ledger, as `reconcile` does.\n\nExamples:\n  $ paysession play order-1042 completes\n  $ paysession play order-1042 returns 905',
    )
    .action(play);
}

/**
 * Plays an action of the payor, or moves the session's money. After an action of the payor, refreshes the session, because the next poll may be
 * minutes away.
 */
async function play(
  key: string,
  what: string,
  code: string | undefined,
  { controlPort: given, json }: PlayOptions,
): Promise<void> {
  if (code !== undefined && what !== 'returns')
    throw new SettingsError([{ path: 'code', message: 'is for `returns` only' }]);
  await withSessions(async (sessions, { ledger }) => {
    const session = sessions.get(key);
    const { sessionId, checkoutUrl } = await session.opened();
    const controlPort = given ?? (await findControlPort(checkoutUrl));
    const kind = MOVES[what];
    if (kind !== undefined) {
      if (ledger === undefined)
        throw new SettingsError([{ path: 'PAYSESSION_LEDGER_URL', message: NEEDS_LEDGER }]);
      const moved = await ask(controlPort, sessionId, 'money', { kind, code });
      const lines = await recorded(ledger, await moved.text());
      if (json) printJson(lines.map(flatLine));
      else for (const line of lines) printLine(`${oneLine(key)}: ${describeLine(line)}`);
      if (lines.some(({ outcome }) => outcome === 'unmatched')) process.exitCode = EXIT.someFailed;
      return;
    }
    const response = await ask(controlPort, sessionId, 'play', { choice: PLAYS[what] });
    const answer = (await response.json()) as Readonly<Record<string, unknown>>;
    if (!json) printLine(`in the sandbox: ${describeAnswer(answer)}`);
    const state = await session.refresh();
    if (json) printJson(state);
    else printLine(`${oneLine(key)}: ${styledState(state)}, ${state.paid ? 'paid' : 'not paid'}`);
  });
}

/** Records the lines of the sandbox's reconciliation file in the ledger. Returns the lines with their outcomes. */
async function recorded(ledger: PaymentLedger, file: string): Promise<readonly ReconciledLine[]> {
  const lines: ReconciledLine[] = [];
  for await (const line of ledger.reconcile([file], { name: 'the sandbox’s file' })) lines.push(line);
  return lines;
}

const describeLine = ({ says, outcome, detail }: ReconciledLine): string =>
  `${says?.kind ?? 'money'} ${MOVED[outcome]}${detail ? `: ${detail}` : ''}`;

const MOVED: Readonly<Record<ReconciledLine['outcome'], string>> = {
  recorded: 'recorded in the ledger',
  known: 'had been recorded in the ledger before',
  unmatched: 'not recorded',
};

const NEEDS_LEDGER =
  'is missing: `settles` and `returns` are recorded in a ledger. Set it to the ledger’s URL, which `paysession dev` prints';

/**
 * Makes the sandbox change the session, and returns the sandbox's answer. Throws `PaysessionError` `SERVICE_SESSION_UNKNOWN` or
 * `SERVICE_UNREACHABLE`. If the sandbox refuses the change, throws `INVALID_INPUT` with the reason.
 */
async function ask(port: number, sessionId: string, what: 'play' | 'money', body: object): Promise<Response> {
  const response = await askControlPort(port, `/sessions/${encodeURIComponent(sessionId)}/${what}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status === 404)
    throw new PaysessionError('SERVICE_SESSION_UNKNOWN', `The sandbox of ${controlAddress(port)} ${UNKNOWN}`);
  if (response.ok) return response;
  const answer: unknown = await response.json().catch(() => undefined);
  const why = isRecord(answer) ? String(answer['detail'] ?? answer['title']) : `status ${response.status}`;
  throw new PaysessionError('INVALID_INPUT', `The sandbox changes nothing: ${oneLine(why)}`);
}

const UNKNOWN =
  'does not know the session. If the session belongs to another sandbox, pass that sandbox’s --control-port. A sandbox without a data folder forgets its sessions when it ends. Sessions of the payment service itself cannot be played.';

function describeAnswer({ status, statusDetails }: Readonly<Record<string, unknown>>): string {
  return formatState({
    status: String(status),
    ...(typeof statusDetails === 'string' && { code: statusDetails }),
  });
}

const ANSWER_MS = 10_000;
const START_ONE =
  'Start `paysession dev`, or start `paysession sandbox` with --control-port and pass the same --control-port here.';

/** Returns the URL of a control port on this machine. A control port is the port at which a sandbox can be controlled over HTTP. */
const controlAddress = (port: number): string => `http://127.0.0.1:${port}`;

/** Asks the sandbox at a checkout URL for its control port. If it names none, returns the default control port of `dev`. */
async function findControlPort(checkoutUrl: string): Promise<number> {
  const { hostname, origin } = new URL(checkoutUrl);
  // A server on another machine is never called, because it may be a real payment service.
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
    // If there is a problem, the call to the control port, which follows, reports it.
    return undefined;
  }
}

/** Calls the control port of a sandbox on this machine. Throws `PaysessionError` `SERVICE_UNREACHABLE` if no sandbox answers. */
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
