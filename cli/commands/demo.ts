import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { PaymentLedger } from '../../ledger';
import type { SessionRequest } from '../../src/contract';
import type { StateHistoryEntry } from '../../src/protocol/state/recorded';
import type { PaymentSessions } from '../../src/sessions';
import { EXIT } from '../shared/exit-codes';
import { formatState, type JsonOption, printJson, printLine, printProgress } from '../shared/output';
import { styledState, stateCell } from '../shared/session-state';
import type { Stack } from '../shared/stack';
import { formatTable } from '../shared/table';
import { colorsOf } from '../shared/terminal';
import { aborted, abortOnSignal } from '../shared/until-signal';
import { watchStates } from './session/watch';
import { sessionKind } from '../../src/contract/statuses';
import type { SessionPolicy } from '../../src/protocol/policy';

export function registerDemo(program: Command): void {
  program
    .command('demo')
    .description('run sessions of each kind to their ends, on this machine only')
    .option('--json', 'print the sessions’ histories as JSON at the end')
    .addHelpText(
      'after',
      '\nExits with 0 only if every session ended as expected.\n\nExample:\n  $ paysession demo',
    )
    .action(demo);
}

async function demo({ json }: JsonOption): Promise<void> {
  const interrupted = aborted(abortOnSignal()).then(() => {
    printProgress('Stopping …');
    process.exitCode = EXIT.sessionFailed;
  });
  printProgress('Starting a Temporal server, a ledger, a sandbox of the payment service and a worker …');
  const { startStack } = await import('../shared/stack.js');
  const folder = await mkdtemp(join(tmpdir(), 'paysession-demo-'));
  try {
    // The demonstration uses a new ledger, even if a setting names one. It uses the same keys each time, so it must not use a ledger that stays.
    const stack = await startStack({ ledger: { env: {}, folder } });
    try {
      await Promise.race([demonstrate(stack, json), interrupted]);
    } finally {
      await stack.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Plays all scenes, and prints their histories. A scene is a session of the demonstration. If the worker fails, rejects with the worker's error. */
export async function demonstrate(
  { sessions, ledger, workerDone }: Pick<Stack, 'sessions' | 'ledger' | 'workerDone'>,
  json: JsonOption['json'],
): Promise<void> {
  if (ledger?.missing !== undefined) printProgress(`Without a ledger: ${ledger.missing}`);
  const show = json ? () => undefined : process.stdout.isTTY ? showInTable() : showAsLines();
  const playing = Promise.all(SCENES.map((scene) => play(sessions, scene, show)));
  await Promise.race([playing, workerDone]);
  const performances = await playing;
  const kept = await keptBy(ledger?.ledger);
  if (json) printJson(performances.map((performance) => toJson(performance, kept)));
  else printHistories(performances, kept);
  if (!performances.every(({ asExpected }) => asExpected)) process.exitCode = EXIT.sessionFailed;
}

/** The keys of the sessions whose ends the ledger has recorded. */
type Kept = ReadonlySet<string>;

async function keptBy(ledger: PaymentLedger | undefined): Promise<Kept | undefined> {
  const ends = await ledger?.endsAmong(SCENES.map(({ key }) => key));
  return ends && new Set(ends.map(({ key }) => key));
}

function toJson({ scene, stateHistory, asExpected }: Performance, kept: Kept | undefined) {
  const { key, title } = scene;
  return { key, title, asExpected, ...(kept && { inLedger: kept.has(key) }), stateHistory };
}

function printHistories(performances: readonly Performance[], kept: Kept | undefined): void {
  performances.forEach(printHistory);
  const asExpected = performances.filter((performance) => performance.asExpected).length;
  printLine(`\n${asExpected} of ${performances.length} sessions ended as expected.`);
  if (kept !== undefined) printLine(`The ledger has recorded the end of ${kept.size}.`);
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

/** The outcome of a scene. */
interface Performance {
  readonly scene: Scene;
  readonly stateHistory: readonly StateHistoryEntry[];
  readonly asExpected: boolean;
}

/** Shows a change of a session's state as it happens. */
type Show = (scene: Scene, entry: StateHistoryEntry) => void;

/** Plays a scene from the start of its session to the end. */
async function play(sessions: PaymentSessions, scene: Scene, show: Show): Promise<Performance> {
  const { session } = await sessions.open({ key: scene.key, request: scene.request, policy: DEMO_POLICY });
  const cancelled = scene.cancels ? session.cancel() : Promise.resolve();
  for await (const { entries } of watchStates(session)) {
    for (const entry of entries) show(scene, entry);
  }
  await cancelled;
  const { status, code, stateHistory } = await session.result();
  return { scene, stateHistory, asExpected: status === scene.endsAs.status && code === scene.endsAs.code };
}

/** Prints a line for each change. */
function showAsLines(): Show {
  const startedAtMs = performance.now();
  return (scene, entry) => {
    const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1).padStart(5);
    printLine(`${seconds} s  ${scene.key.padEnd(18)} ${formatState(entry).padEnd(18)} (${entry.source})`);
  };
}

/** Draws a table of all sessions. At each change, draws the table again at the same place. */
function showInTable(): Show {
  const entries = new Map<string, StateHistoryEntry>();
  let drawnLines = 0;
  const draw = () => {
    const rows = SCENES.map(({ key, title, request }) => {
      const entry = entries.get(key);
      return [
        title,
        entry === undefined ? '…' : stateCell({ ...entry, kind: sessionKind(request) }),
        entry?.firstSeenAt.slice(11, 23) ?? '',
        entry?.source ?? '',
      ];
    });
    const text = formatTable(['SESSION', 'STATE', 'SINCE (UTC)', 'LEARNED BY'], rows);
    printLine(`${drawnLines === 0 ? '' : `\u001b[${drawnLines}A\u001b[0J`}${text}`);
    drawnLines = text.split('\n').length;
  };
  draw();
  return (scene, entry) => {
    entries.set(scene.key, entry);
    draw();
  };
}

/** A payment session of the demonstration, and the end that the session must reach. */
interface Scene {
  readonly key: string;
  readonly title: string;
  readonly request: SessionRequest;
  /** True if the session is cancelled as soon as it is open. */
  readonly cancels?: true;
  readonly endsAs: { readonly status: string; readonly code?: string };
}

/** The policy of the sessions. The worker polls them often, so that the demonstration is short. A real session needs no such policy. */
const DEMO_POLICY: SessionPolicy = { fastestPoll: '500ms', slowestUnsignedPoll: '1s' };

const payor = { firstName: 'Avery', lastName: 'Tremblay', email: 'avery.tremblay@example.com' };

const address = {
  addressLine1: '1 King Street West',
  city: 'Toronto',
  province: 'ON',
  country: 'CA',
  postalCode: 'M5H1A1',
} as const;

function eft(scenario: string): SessionRequest {
  return {
    type: 'EFT',
    direction: 'DEBIT',
    amount: 25,
    referenceId: scenario,
    options: { guarantee: { enable: false } },
    payor,
  };
}

const geft = (scenario: string): SessionRequest => ({
  ...eft(scenario),
  amount: 120.5,
  options: { guarantee: { enable: true } },
  payor: { ...payor, address },
});

const eTransfer = (scenario: string): SessionRequest => ({
  ...eft(scenario),
  type: 'e-Transfer',
  amount: 42,
});

export const SCENES: readonly Scene[] = [
  {
    key: 'demo-eft',
    title: 'EFT, the payor completes',
    request: eft('sandbox-completes'),
    endsAs: { status: 'Completed', code: 'EFT0301' },
  },
  {
    key: 'demo-geft',
    title: 'Guaranteed EFT, the payor completes',
    request: geft('sandbox-completes'),
    endsAs: { status: 'Completed', code: 'EFT0301' },
  },
  {
    key: 'demo-e-transfer',
    title: 'e-Transfer, the payor completes',
    request: eTransfer('sandbox-completes'),
    endsAs: { status: 'Completed' },
  },
  {
    key: 'demo-signs-later',
    title: 'EFT, the PAD agreement is signed later',
    request: eft('sandbox-signs-later'),
    endsAs: { status: 'Completed', code: 'EFT0301' },
  },
  {
    key: 'demo-cancelled',
    title: 'EFT, cancelled while the payor waits',
    request: eft('sandbox-stays-initiated'),
    cancels: true,
    endsAs: { status: 'Cancelled', code: 'EFT0501' },
  },
  {
    key: 'demo-fails',
    title: 'EFT, the payor’s identity does not match',
    request: eft('sandbox-identity-failed'),
    endsAs: { status: 'Failed', code: 'EFT0403' },
  },
  {
    key: 'demo-expires',
    title: 'EFT, the payor never finishes',
    request: eft('sandbox-expires'),
    endsAs: { status: 'Expired', code: 'EFT0601' },
  },
];
