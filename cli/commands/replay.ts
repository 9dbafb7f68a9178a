import { access } from 'node:fs/promises';
import type { Command } from 'commander';
import { PaysessionError } from '../../src/errors';
import type { ReplayReport } from '../../testkit';
import type { ReplayOptions, Divergence } from '../../testkit/histories/replay-histories';
import { EXIT } from '../shared/exit-codes';
import { printJson, printLine, type JsonOption } from '../shared/output';
import { withSessions } from '../shared/sessions';
import { progressText, withStatusLine } from '../shared/status-line';
import { colorsOf } from '../shared/terminal';

interface ReplayCommandOptions extends JsonOption {
  readonly open?: true;
  readonly bundle?: string;
}

export function registerReplay(program: Command): void {
  program
    .command('replay')
    .description('check that recorded or open sessions replay on the current code or on a bundle')
    .argument('[paths...]', 'history files, and folders of them')
    .option('--open', 'replay every open session of the namespace, for instance before a deploy')
    .option('--bundle <file>', 'workflow bundle to replay against (default: the code of this package)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ paysession replay test/histories\n  $ paysession replay --open && deploy',
    )
    .action(replay);
}

async function replay(
  paths: readonly string[],
  { open, bundle, json }: ReplayCommandOptions,
  command: Command,
): Promise<void> {
  if ((open === true) === paths.length > 0) {
    command.error('error: give either files and folders, or --open');
  }
  const options = bundle === undefined ? {} : { bundlePath: await readable(bundle) };
  const { readHistories, replayHistories } = await import('../../testkit/index.js');
  const report = open ? await replayOpen(options) : await replayHistories(readHistories(paths), options);
  if (json) printJson(report);
  else printReport(report);
  if (report.divergences.length > 0) process.exitCode = EXIT.diverged;
}

async function readable(bundle: string): Promise<string> {
  try {
    await access(bundle);
    return bundle;
  } catch (cause) {
    throw new PaysessionError('INVALID_FILE', `The bundle ${bundle} cannot be read: check the path.`, {
      cause,
    });
  }
}

async function replayOpen(options: ReplayOptions): Promise<ReplayReport> {
  const { replayOpenSessions } = await import('../../testkit/index.js');
  return withSessions((sessions, { client }) =>
    withStatusLine('replaying …', (line) => {
      const onProgress = (done: number, total: number) => {
        line.show(progressText({ done, total }));
      };
      return replayOpenSessions({ client, sessions }, { ...options, onProgress });
    }),
  );
}

function printReport({ replayed, untouched, divergences }: ReplayReport): void {
  divergences.forEach(printDivergence);
  const idle = untouched.length === 0 ? '' : `, ${untouched.length} with nothing to replay yet`;
  const verdict = divergences.length === 0 ? 'all replay' : `${divergences.length} diverge`;
  const { green, red } = colorsOf(process.stdout);
  const style = divergences.length === 0 ? green : red;
  printLine(`${replayed} replayed${idle}: ${style(verdict)}`);
}

function printDivergence({ name, event, message }: Divergence): void {
  printLine(
    `${colorsOf(process.stdout).red('✘')} ${name}: event ${event.id} (${event.type})\n    ${message}`,
  );
}
