import { defined } from '../../../src/contract/values/json';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { isPaysessionError, type ErrorCode } from '../../../src/errors';
import type { PaymentSessionHandle, SessionEnd, PaymentSessions } from '../../../src/sessions';
import { whereNoJson } from '../../../src/contract/values/outside-text';
import { isGivenBack } from '../../../src/protocol/activities';
import type { PaymentSessionInput } from '../../../src/protocol/input';
import type { Metadata } from '../../../src/protocol/metadata';
import { EXIT, exitCodeOfCode } from '../../shared/exit-codes';
import { readJsonFile } from '../../shared/input-text';
import { oneLine, printJson, printLine, type JsonOption, runnerOf, printWarning } from '../../shared/output';
import { metadataPair } from '../../shared/parse-arguments';
import { styledState } from '../../shared/session-state';
import { withSessions, type CommandContext } from '../../shared/sessions';
import { waitingFor } from '../../shared/status-line';
import { colorsOf } from '../../shared/terminal';

interface StartOptions extends JsonOption {
  readonly key: string;
  readonly request: string;
  readonly account?: string;
  readonly policy?: NonNullable<PaymentSessionInput['policy']>;
  readonly metadata?: Metadata;
  readonly open?: true;
  readonly wait?: true;
}

export function registerStart(program: Command): void {
  program
    .command('start')
    .description('start a payment session, or attach to the one that has the key')
    .requiredOption(
      '--key <key>',
      'your own key for this payment; a second start with the same key attaches to the same session',
    )
    .requiredOption('--request <file>', 'the session creation request, a JSON file (- reads standard input)')
    .option('--account <name>', 'the account that opens the session; its name in the worker’s settings')
    .option(
      '--policy <json>',
      'how to poll and when to give up, for instance \'{"deadline":"2h"}\'',
      parsePolicy,
    )
    .option(
      '--metadata <name=value>',
      'your own text about the payment, such as customer=cus_42; may be repeated',
      metadataPair,
    )
    .option('--open', 'wait for the checkout URL, and print it')
    .addOption(new Option('--wait', 'wait for the end; exit code 0 only if it is paid').conflicts('open'))
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession start --key order-1042 --request request.json --open')
    .action(start);
}

async function start(options: StartOptions): Promise<void> {
  const input = await readInput(options);
  await withSessions(async (sessions, context) => {
    const session = await sessions.start(input);
    if (!context.encrypts) await warnOfPlainText(sessions);
    const answer = { ...(await answerOf(session, options, context)), ...session.started };
    if (options.json) printJson(answer);
    else printLine(describe(answer));
    if (answer.paid === false) process.exitCode = EXIT.unpaid;
    const failure = failureOf(answer.end);
    if (failure !== undefined) process.exitCode = exitCodeOfCode(failure);
  });
}

async function readInput(options: StartOptions): Promise<PaymentSessionInput> {
  const { key, request, account, policy, metadata } = options;
  return {
    key,
    request: (await readJsonFile(request)) as PaymentSessionInput['request'],
    ...defined({ account, policy, metadata }),
  };
}

function parsePolicy(text: string): NonNullable<PaymentSessionInput['policy']> {
  try {
    return JSON.parse(text) as NonNullable<PaymentSessionInput['policy']>;
  } catch {
    const example = 'must be a JSON object, for instance {"deadline":"2h"}';
    throw new InvalidArgumentError(`${example} (${whereNoJson(text)}).`);
  }
}

interface Started {
  readonly key: string;
  readonly workflowId: string;
  readonly checkoutUrl?: string;
  readonly status?: string;
  readonly code?: string;
  /** Present only if the command waited for the end. This also applies to the status, the code, `unsigned` and `unverified`. */
  readonly paid?: boolean;
  readonly unsigned?: boolean;
  readonly unverified?: boolean;
  /** True if the key already had this session, so that none was started. */
  readonly attached?: boolean;
  /** The end of the session. Present if the session had already ended. */
  readonly end?: SessionEnd;
}

async function answerOf(
  session: PaymentSessionHandle,
  { open, wait }: StartOptions,
  context: CommandContext,
): Promise<Started> {
  const { key, workflowId } = session;
  if (wait)
    return { workflowId, ...(await waitingFor(`${key}: waiting for its end`, () => end(session, context))) };
  if (open)
    return {
      key,
      workflowId,
      ...(await waitingFor(`${key}: waiting for its checkout URL`, () => session.opened())),
    };
  await warnOfNoWorker(context);
  return { key, workflowId };
}

async function end(session: PaymentSessionHandle, { unservedQueue }: CommandContext) {
  // If no worker can answer, this throws within seconds. The state of an ended session can be read without a worker.
  if ((await unservedQueue()) !== undefined) await session.state();
  return Promise.race([session.result(), refusal(session)]);
}

/** Rejects if the workers that have tried in the first seconds lack the account, the credentials or the settings to open the session. */
async function refusal(session: PaymentSessionHandle): Promise<never> {
  const error: unknown = await session.opened().catch((caught: unknown) => caught);
  if (isPaysessionError(error) && isGivenBack(error.code)) throw error;
  return new Promise<never>(() => undefined);
}

function describe(started: Started): string {
  if (started.status !== undefined) {
    const ended = styledState({ ...started, phase: 'ended' });
    return `${oneLine(started.key)}: ${ended}, ${started.paid ? 'paid' : 'not paid'}`;
  }
  const { cyan } = colorsOf(process.stdout);
  if (started.checkoutUrl !== undefined) return cyan(oneLine(started.checkoutUrl));
  const { attached, end, workflowId, key } = started;
  const begun = attached ? `attached to ${workflowId}` : `started ${workflowId}`;
  return `${oneLine(begun)}${endText(end)}; see: ${cyan(oneLine(`${runnerOf()}paysession state ${key}`))}`;
}

function endText(end: SessionEnd | undefined): string {
  const failure = failureOf(end);
  if (failure !== undefined) return `, which has failed: ${failure}`;
  return end === undefined ? '' : `, which has ended, ${end.paid ? 'paid' : 'not paid'}`;
}

/** Returns the error code if a start attached to a session that has failed. Otherwise returns `undefined`. */
export function failureOf(end: SessionEnd | undefined): ErrorCode | undefined {
  if (end === undefined || end.outcome === 'ended') return undefined;
  return end.failure ?? 'SESSION_TERMINATED';
}

/** Warns if this machine has no encryption keys and the workers encrypt. The request is then stored in plain text. */
export async function warnOfPlainText(sessions: PaymentSessions): Promise<void> {
  // Errors of the Temporal server are ignored here. The start reports them.
  const encrypted = await sessions.workersEncrypt().catch(() => false);
  if (!encrypted) return;
  printWarning(
    'the workers encrypt what Temporal stores, but the request is stored in plain text: this command has no keys. ' +
      'Set PAYSESSION_ENCRYPTION_KEYS to the workers’ keys.',
  );
}

/** Warns if no worker polls the task queue, so that the started sessions wait. */
export async function warnOfNoWorker({ unservedQueue }: CommandContext): Promise<void> {
  const queue = await unservedQueue();
  if (queue === undefined) return;
  const { taskQueue, why } = queue;
  printWarning(
    why === undefined
      ? `no worker polls the task queue "${taskQueue}": sessions wait until one does. Start one with \`paysession worker\`.`
      : `the workers of the task queue "${taskQueue}" get no sessions: ${why.found}. ${why.fix}`,
  );
}
