import type { Command } from 'commander';
import { isErrorCode } from '../../../src/errors';
import type { SessionState } from '../../../src/protocol/state/session';
import type { PaymentSessionHandle } from '../../../src/sessions';
import {
  isGuaranteeUntold,
  type AdoptPreview,
  type AskedPayment,
  type FoundPayment,
  type PaymentDifference,
} from '../../../src/protocol/adopt-preview';
import { addDecidedBy } from '../../shared/decisions';
import { exitCodeOfCode } from '../../shared/exit-codes';
import {
  printJson,
  printLine,
  printProgress,
  type JsonOption,
  formatState,
  oneLine,
} from '../../shared/output';
import { printState } from '../../shared/session-state';
import { withSessions } from '../../shared/sessions';
import { waitingFor } from '../../shared/status-line';
import { formatTable } from '../../shared/table';
import { colorsOf, type Screen } from '../../shared/terminal';
import { adoptionResult, namedIn, type DecidedBy, type ResolveCreate } from '../../../src/protocol/decisions';

interface ResolveOptions extends JsonOption, DecidedBy {
  readonly sessionId?: string;
  readonly look?: true;
  readonly retry?: true;
  readonly abandon?: true;
  readonly park?: string;
}

export function registerResolve(program: Command): void {
  const command = program
    .command('resolve')
    .description('decide what to do about a create request with an unknown outcome')
    .argument('<key>', 'the session’s key')
    .option('--session-id <id>', 'the session was created, with this id at the payment service: follow it')
    .option('--look', 'only show what the payment service says about --session-id; decide nothing')
    .option('--retry', 'the session was not created: create it again')
    .option('--abandon', 'give up: the session fails with CREATE_ABANDONED')
    .option(
      '--park <id>',
      'only if the session still waits for this decision: the last id in `parks` of its state',
    );
  addDecidedBy(command)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ paysession resolve order-1042 --session-id 3f3ff2a1-95a0-4cf1-8bbd-3ad7a1d3a2a1 --look' +
        '\n  $ paysession resolve order-1042 --retry --reason "not in the list"',
    )
    .action(async (key: string, options: ResolveOptions) => {
      const answer =
        resolutionOf(options) ??
        command.error('error: give exactly one of --session-id, --retry and --abandon');
      const named = 'sessionId' in answer ? answer.sessionId : undefined;
      if (options.look && named === undefined) command.error('error: --look needs --session-id');
      await withSessions(async (sessions) => {
        const session = sessions.get(key);
        if (options.look) await preview(session, String(named), options);
        else await resolve(session, answer, options);
      });
    });
}

/** Shows the payment service's session with this id. If this key cannot adopt the session, sets the exit code of the refusal. */
async function preview(
  session: PaymentSessionHandle,
  sessionId: string,
  { json }: JsonOption,
): Promise<void> {
  const answer = await previewing(session, sessionId);
  if (json) printJson(answer);
  else previewLines(answer).forEach(printLine);
  if (answer.refusal !== undefined) process.exitCode = exitCodeOfCode(answer.refusal.code);
}

/** Sends the decision. Before an adoption, shows the details of the payment service's session. With `--json`, does not show them. */
async function resolve(
  session: PaymentSessionHandle,
  answer: ResolveCreate,
  options: ResolveOptions,
): Promise<void> {
  if ('sessionId' in answer && !options.json)
    previewLines(await previewing(session, answer.sessionId), process.stderr).forEach(printProgress);
  const state = await session.resolveCreate(answer, namedIn(options));
  if (options.json) printJson(state);
  else printState(state);
  if ('sessionId' in answer) exitAsAdopted(state, answer.sessionId);
}

/** If the adoption was refused, sets the exit code of the refusal. */
function exitAsAdopted(state: SessionState, sessionId: string): void {
  const result = adoptionResult(state, sessionId);
  if (isErrorCode(result)) process.exitCode = exitCodeOfCode(result);
}

const previewing = (session: PaymentSessionHandle, sessionId: string) =>
  waitingFor(`${session.key}: asking the payment service`, () => session.previewAdopt(sessionId));

/** Returns the decision that the options make. Returns `undefined` if they make none or several. */
function resolutionOf({ sessionId, retry, abandon, park }: ResolveOptions): ResolveCreate | undefined {
  const about = park !== undefined && { park };
  const answers: ResolveCreate[] = [
    ...(sessionId === undefined ? [] : [{ sessionId, ...about }]),
    ...(retry ? [{ retry, ...about }] : []),
    ...(abandon ? [{ abandon, ...about }] : []),
  ];
  return answers.length === 1 ? answers[0] : undefined;
}

/** Returns lines that compare the session at the payment service with the key's request. */
export function previewLines(preview: AdoptPreview, screen: Screen = process.stdout): readonly string[] {
  const { adoptable, refusal, found } = preview;
  const { green, red } = colorsOf(screen);
  const verdict = adoptable
    ? green('This session can be adopted.')
    : `${red(`This session cannot be adopted: ${refusal?.code ?? ''}.`)} ${oneLine(refusal?.message ?? '')}`;
  if (found === undefined) return [verdict];
  const caution = isGuaranteeUntold(preview)
    ? ['The payment service does not say whether this EFT is guaranteed.']
    : [];
  return [...comparison(preview, found, screen).split('\n'), ...caution, verdict];
}

function comparison(preview: AdoptPreview, found: FoundPayment, screen: Screen): string {
  const { asked, differences, untold = [] } = preview;
  const { red } = colorsOf(screen);
  const mark = (field: PaymentDifference) =>
    differences.includes(field)
      ? { text: 'differs', style: red }
      : untold.includes(field)
        ? 'not compared'
        : '';
  const kind = isGuaranteeUntold(preview) ? 'EFT, guaranteed or not' : (found.kind ?? found.type ?? '');
  return formatTable(
    ['FIELD', 'ASKED FOR', 'PAYMENT SERVICE', ''],
    [
      ['state', '', formatState(found), ''],
      ['amount', money(asked), money(found), mark('amount')],
      ['kind', asked.kind, kind, mark('type')],
      ['direction', asked.direction, found.direction ?? '', mark('direction')],
      ['reference', asked.referenceId ?? '', found.referenceId ?? '', mark('referenceId')],
      ['created', '', found.createdAt ?? '', ''],
    ],
    screen,
  );
}

const money = ({ amount, currency = '' }: AskedPayment | FoundPayment): string =>
  amount === undefined ? '' : `${amount} ${currency}`.trimEnd();
