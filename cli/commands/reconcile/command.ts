import { InvalidArgumentError, type Command } from 'commander';
import { jsonLinesOption, jsonOption } from '../../shared/screen/output';
import type { ReconcileCommandOptions } from './reconcile-files';
import {
  COLUMN_NAMES,
  type ColumnName,
  type ReconciliationColumns,
} from '../../../ledger/reconciliation/file-line';

export function registerReconcile(program: Command): void {
  program
    .command('reconcile')
    .description(
      'record what the money did, by the payment service’s reconciliation files; safe to run again',
    )
    .argument(
      '<file...>',
      'CSV, a line for each payment that has settled or was returned (- reads standard input)',
    )
    .option(
      '--columns <map>',
      `which column has what, such as amount=Betrag,date="Tag, Monat": ${COLUMN_NAMES.join(', ')}`,
      columns,
    )
    .option(
      '--delimiter <character>',
      'what is between the cells; tab is a word (default: a comma, or what a first line sep=; says)',
      delimiter,
    )
    .option('--account <account>', 'whose file it is: sessions of other accounts are not matched')
    .option('--dry-run', 'say what would be recorded, and record nothing')
    .addOption(jsonOption())
    .addOption(jsonLinesOption())
    .addHelpText(
      'after',
      '\nExamples:\n  $ paysession reconcile 2026-05-06.csv --dry-run' +
        '\n  $ paysession reconcile may-*.csv --columns reference=Ref,amount=Amount,date=Date,kind=Type,code=Reason' +
        '\n  $ paysession reconcile may-06.csv --columns \'reference=Ref,amount="Amount, CAD",date=Date,kind=Type\'',
    )
    .action(async (files: readonly string[], options: ReconcileCommandOptions) => {
      const { reconcileFiles } = await import('./reconcile-files.js');
      await reconcileFiles(files, options);
    });
}

/**
 * Reads `amount=Betrag,date="Tag, Monat"`: a title with a comma is in double quotes, and a double quote in it is written twice. The option
 * may come again for further columns.
 */
function columns(text: string, before: ReconciliationColumns = {}): ReconciliationColumns {
  const named: Partial<Record<ColumnName, string>> = { ...before };
  const pair = /\s*([^=,]*?)\s*=\s*(?:"((?:[^"]|"")*)"\s*|([^",][^,]*))(?:,|$)/y;
  do {
    const [, name, quoted, plain = ''] = pair.exec(text) ?? [];
    const known = COLUMN_NAMES.find((column) => column === name);
    const title = (quoted?.replaceAll('""', '"') ?? plain).trim();
    if (known === undefined || title === '')
      throw new InvalidArgumentError(
        `must be pairs such as amount=Betrag or amount="Amount, CAD", of ${COLUMN_NAMES.join(', ')}.`,
      );
    named[known] = title;
  } while (pair.lastIndex < text.length);
  return named;
}

function delimiter(text: string): string {
  const character = text === 'tab' ? '\t' : text;
  if (character.length === 1 && !/["\r\n]/.test(character)) return character;
  throw new InvalidArgumentError('must be one character, or the word tab.');
}
