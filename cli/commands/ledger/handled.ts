import type { Command } from 'commander';
import type { HandledReturn } from '../../../ledger/payment-ledger';
import { requireDecidedBy } from '../../shared/decisions';
import { withLedger } from '../../shared/ledger';
import { wholeNumber } from '../../shared/parse-arguments';
import { oneLine, printJson, printLine, type JsonOption } from '../../shared/output';

export function registerHandled(ledger: Command): void {
  const handled = ledger
    .command('handled')
    .description(
      'record what was done about money that came back; the payment then stops waiting for a decision',
    )
    .argument('<key>', 'the session’s key');
  requireDecidedBy(
    handled,
    'name of the person who reports this',
    'what was done; stays readable if the personal data was erased before: do not name the payor',
  )
    .option(
      '--claim <n>',
      'the payment’s claim, if several payments of the key came back',
      wholeNumber(1, Number.MAX_SAFE_INTEGER),
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ paysession ledger list --waiting' +
        '\n  $ paysession ledger handled order-1042 --by avery --reason "collected again as order-1042-again"',
    )
    .action(recordHandled);
}

interface HandledOptions extends JsonOption, HandledReturn {}

/**
 * Records what was done about money that came back. Throws `PaysessionError` `SESSION_NOT_FOUND` if the ledger does not know the key. Throws
 * `INVALID_INPUT` if no money has come back, or if several payments of the key wait and the command names none.
 */
async function recordHandled(key: string, { by, reason, claim, json }: HandledOptions): Promise<void> {
  const isDone = await withLedger((ledger) => ledger.handleReturn(key, { by, reason, claim }));
  if (json) printJson({ key, outcome: isDone ? 'handled' : 'alreadyHandled' });
  else
    printLine(`${oneLine(key)}: ${isDone ? 'recorded as handled' : 'had been recorded as handled before'}`);
}
