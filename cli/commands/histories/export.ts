import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { ExportedHistory } from '../../../testkit';
import { withSessions } from '../../shared/run/client';
import { printJsonLine, printLine, type JsonOption } from '../../shared/screen/output';

interface ExportCommandOptions extends JsonOption {
  readonly out: string;
  readonly seed?: string;
}

export function registerExport(program: Command): void {
  program
    .command('export')
    .description('write the histories of sessions, without personal data, for replay tests')
    .argument('<keys...>', 'the sessions’ keys')
    .requiredOption('--out <folder>', 'folder to write the files to')
    .option(
      '--seed <text>',
      'make the fake values the same in every export (whoever knows the seed can check a guess)',
    )
    .option('--json', 'print one JSON object a line')
    .addHelpText('after', '\nExample:\n  $ paysession export order-1042 --out test/histories')
    .action(exportAll);
}

async function exportAll(keys: readonly string[], { out, seed, json }: ExportCommandOptions): Promise<void> {
  const { exportSession } = await import('../../../testkit/index.js');
  await withSessions(async (_sessions, { client }) => {
    for (const key of keys) {
      const runs = await exportSession(client, key, seed === undefined ? {} : { seed });
      await mkdir(out, { recursive: true });
      for (const run of runs) await write(key, run, out, json);
    }
  });
}

async function write(key: string, run: ExportedHistory, out: string, json: true | undefined): Promise<void> {
  const file = join(out, run.fileName);
  await writeFile(file, run.json);
  if (json) printJsonLine({ key, file, events: run.events });
  else printLine(`${key}: ${file} (${run.events} events)`);
}
