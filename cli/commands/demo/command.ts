import type { Command } from 'commander';
import { sessionKind } from '../../../src/contract/kinds';
import type { PaymentSessions } from '../../../src/sessions';
import type { StateHistoryEntry } from '../../../src/protocol/state/recorded';
import { EXIT } from '../../shared/run/exit-codes';
import {
  formatState,
  type JsonOption,
  printJson,
  printLine,
  printProgress,
} from '../../shared/screen/output';
import { styledState } from '../../shared/session/styled-state';
import { colorsOf } from '../../shared/screen/terminal';
import { watchStates } from '../../shared/session/watch-states';
import { type Board, createBoard, SILENT } from './board';
import { DEMO_POLICY, type Scene, SCENES } from './scenes';

export function registerDemo(program: Command): void {
  program
    .command('demo')
    .description('run one session of each kind to its end, on this machine only')
    .option('--json', 'print the sessions’ histories as JSON at the end')
    .addHelpText(
      'after',
      '\nExits with 0 only if every session ended as expected.\n\nExample:\n  $ paysession demo',
    )
    .action(demo);
}

async function demo({ json }: JsonOption): Promise<void> {
  printProgress('Starting a Temporal server, a sandbox of the payment service and a worker …');
  const { startStack } = await import('../../shared/stack.js');
  const stack = await startStack();
  try {
    const board = json ? SILENT : createBoard(SCENES, process.stdout);
    const performances = await play(stack.sessions, SCENES, board);
    if (json) printJson(performances.map(toJson));
    else printHistories(performances);
    if (!performances.every(({ asExpected }) => asExpected)) process.exitCode = EXIT.sessionFailed;
  } finally {
    await stack.stop();
  }
}

function toJson({ scene, stateHistory, asExpected }: Performance) {
  return { key: scene.key, title: scene.title, asExpected, stateHistory };
}

function printHistories(performances: readonly Performance[]): void {
  performances.forEach(printHistory);
  const asExpected = performances.filter((performance) => performance.asExpected).length;
  printLine(`\n${asExpected} of ${performances.length} sessions ended as expected.`);
}

function printHistory({ scene, stateHistory, asExpected }: Performance): void {
  const { title, endsAs } = scene;
  const { green, red } = colorsOf(process.stdout);
  printLine(
    `\n${asExpected ? green('✔') : red('✘')} ${title}${asExpected ? '' : ` (should end as ${formatState(endsAs)})`}`,
  );
  for (const entry of stateHistory)
    printLine(
      `    ${entry.firstSeenAt}  ${styledState({ ...entry, kind: sessionKind(scene.request) })}  (${entry.source})`,
    );
}

/** How a scene went. */
interface Performance {
  readonly scene: Scene;
  readonly stateHistory: readonly StateHistoryEntry[];
  readonly asExpected: boolean;
}

/** Plays all scenes at once, each a payment session from its start to its end. */
function play(sessions: PaymentSessions, scenes: readonly Scene[], board: Board): Promise<Performance[]> {
  return Promise.all(scenes.map((scene) => playScene(sessions, scene, board)));
}

async function playScene(sessions: PaymentSessions, scene: Scene, board: Board): Promise<Performance> {
  const { session } = await sessions.open({ key: scene.key, request: scene.request, policy: DEMO_POLICY });
  const cancelled = scene.cancels ? session.cancel() : Promise.resolve();
  for await (const { entries } of watchStates(session)) {
    for (const entry of entries) board.show(scene, entry);
  }
  await cancelled;
  const { status, code, stateHistory } = await session.result();
  return { scene, stateHistory, asExpected: status === scene.endsAs.status && code === scene.endsAs.code };
}
