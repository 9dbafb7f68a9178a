import { writeFile } from 'node:fs/promises';
import { makeFolder } from '../../src/files';
import { join } from 'node:path';
import type { Command } from 'commander';
import {
  counted,
  jsonLinesOption,
  jsonOption,
  jsonRows,
  printLine,
  type JsonRowsOptions,
} from '../shared/output';
import { withSessions } from '../shared/sessions';

interface ExportCommandOptions extends JsonRowsOptions {
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
      'make the fake values the same in every export (a reader who knows the seed can check a guess)',
    )
    .addOption(jsonOption())
    .addOption(jsonLinesOption())
    .addHelpText('after', '\nExample:\n  $ paysession export order-1042 --out test/histories')
    .action(exportAll);
}

async function exportAll(
  keys: readonly string[],
  { out, seed, ...options }: ExportCommandOptions,
): Promise<void> {
  const json = jsonRows(options);
  const { exportSession } = await import('../../testkit/index.js');
  await withSessions(async (_sessions, { client }) => {
    for (const key of keys) {
      const runs = await exportSession(client, key, seed === undefined ? {} : { seed });
      makeFolder(out);
      for (const run of runs) {
        const file = join(out, run.fileName);
        await writeFile(file, run.json);
        json.add({ key, file, events: run.events });
        if (!json.isAsked) printLine(`${key}: ${file} (${counted(run.events, 'event')})`);
      }
    }
    json.end();
  });
}
