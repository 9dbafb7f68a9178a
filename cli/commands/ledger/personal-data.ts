import type { Command } from 'commander';
import type { PersonAndReason } from '../../../ledger/payment-ledger';
import { requireDecidedBy } from '../../shared/decisions';
import { withLedger } from '../../shared/ledger';
import { oneLine, printJson, printLine, type JsonOption } from '../../shared/output';
import { openStatusLine, progressText } from '../../shared/status-line';
import type { RewrapProgress } from '../../../ledger/rewrap';

export function registerPersonalData(ledger: Command): void {
  const erase = ledger
    .command('erase')
    .description(
      'permanently erase a session’s personal data from the ledger; amounts, states and times stay',
    )
    .argument('<key>', 'the session’s key');
  requireDecidedBy(
    erase,
    'name of the person who erases the data; stays readable in the ledger',
    'the reason; stays readable in the ledger: do not name the payor',
  )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ paysession ledger erase order-1042 --by avery --reason "request 77 of the privacy desk"',
    )
    .action(eraseSession);
  ledger
    .command('rewrap')
    .description('encrypt the keys of all sessions’ personal data with the current encryption key')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nFirst make the new key the current one on all workers. You may stop the command and run it again, also while workers run. Once it prints `keys rewrapped: 0` and no error, the ledger of this environment needs no earlier key.\n\nExample:\n  $ paysession ledger rewrap',
    )
    .action(printRewrap);
}

interface EraseOptions extends JsonOption, PersonAndReason {}

/** Erases a session's personal data. Throws `PaysessionError` `SESSION_NOT_FOUND` if the ledger does not know the key. */
async function eraseSession(key: string, { by, reason, json }: EraseOptions): Promise<void> {
  const isDone = await withLedger((ledger) => ledger.erase(key, { by, reason }));
  const outcome = isDone ? 'erased' : 'alreadyErased';
  if (json) printJson({ key, outcome });
  else
    printLine(
      `${oneLine(key)}: personal data ${isDone ? 'erased from the ledger' : 'had been erased before'}`,
    );
}

/** Rewraps the keys of all sessions. If some keys cannot be unwrapped, prints the result for the other keys, and then throws the error. */
async function printRewrap({ json }: JsonOption): Promise<void> {
  await withLedger(async (ledger) => {
    const statusLine = await openStatusLine('rewrapping …');
    const { environment } = ledger;
    let progress: RewrapProgress | undefined;
    try {
      for await (progress of ledger.rewrap()) {
        statusLine.show(progressText({ done: progress.looked, total: undefined }));
      }
      progress ??= { looked: 0, rewrapped: 0 };
    } finally {
      statusLine.close();
      if (progress !== undefined) printRewrapped({ environment, ...progress }, json);
    }
  });
}

interface Rewrapped extends RewrapProgress {
  readonly environment: string;
}

function printRewrapped({ environment, looked, rewrapped }: Rewrapped, json: true | undefined): void {
  if (json) printJson({ environment, looked, rewrapped });
  else printLine(`sessions checked: ${looked}; keys rewrapped: ${rewrapped}; environment: ${environment}`);
}
