import type { Command } from 'commander';
import type { Erasure } from '../../../ledger';
import { withLedger } from '../../shared/ledger';
import { oneLine, printJson, printLine, type JsonOption } from '../../shared/output';
import { textUpTo } from '../../shared/parse-arguments';
import { openStatusLine, progressText } from '../../shared/status-line';
import { MAX_DECIDER_LENGTH, MAX_REASON_LENGTH } from '../../../src/protocol/decisions';
import type { RewrapProgress } from '../../../ledger/rewrap';

export function registerPersonalData(ledger: Command): void {
  ledger
    .command('erase')
    .description('erase a session’s personal data from the ledger for good; amounts, states and times stay')
    .argument('<key>', 'the session’s key')
    .requiredOption(
      '--by <name>',
      'who erases them; stays readable in the ledger',
      textUpTo(MAX_DECIDER_LENGTH),
    )
    .requiredOption(
      '--reason <text>',
      'why; stays readable in the ledger: do not name the payor',
      textUpTo(MAX_REASON_LENGTH),
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ paysession ledger erase order-1042 --by avery --reason "request 77 of the privacy desk"',
    )
    .action(eraseSession);
  ledger
    .command('rewrap')
    .description('wrap the keys of all sessions’ personal data with the current encryption key')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nAfterwards the ledger needs no earlier key. Safe to stop and to run again, and beside workers; first let all of them have the new key as the current one.\n\nExample:\n  $ paysession ledger rewrap',
    )
    .action(printRewrap);
}

interface EraseOptions extends JsonOption, Erasure {}

/** Throws `PaysessionError` `SESSION_NOT_FOUND` where the ledger does not know the key. */
async function eraseSession(key: string, { by, reason, json }: EraseOptions): Promise<void> {
  const isDone = await withLedger((ledger) => ledger.erase(key, { by, reason }));
  const outcome = isDone ? 'erased' : 'alreadyErased';
  if (json) printJson({ key, outcome });
  else
    printLine(
      `${oneLine(key)}: personal data ${isDone ? 'erased from the ledger' : 'had been erased before'}`,
    );
}

/** Says what was done also where some keys could not be read, which is thrown. */
async function printRewrap({ json }: JsonOption): Promise<void> {
  await withLedger(async (ledger) => {
    const statusLine = await openStatusLine('rewrapping …');
    let progress: RewrapProgress | undefined;
    try {
      for await (progress of ledger.rewrap()) {
        statusLine.show(progressText({ done: progress.looked, total: undefined }));
      }
      progress ??= { looked: 0, rewrapped: 0 };
    } finally {
      statusLine.close();
      if (progress !== undefined) printRewrapped(progress, json);
    }
  });
}

function printRewrapped({ looked, rewrapped }: RewrapProgress, json: true | undefined): void {
  if (json) printJson({ looked, rewrapped });
  else printLine(`sessions checked: ${looked}; keys rewrapped: ${rewrapped}`);
}
