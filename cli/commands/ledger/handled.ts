import type { Command } from 'commander';
import type { PersonAndReason } from '../../../ledger/payment-ledger';
import { requireDecidedBy } from '../../shared/decisions';
import { withLedger } from '../../shared/ledger';
import { oneLine, printJson, printLine, type JsonOption } from '../../shared/output';

export function registerHandled(ledger: Command): void {
  const handled = ledger
    .command('handled')
    .description('record what was done about money that came back: it no longer waits for a decision')
    .argument('<key>', 'the session’s key');
  requireDecidedBy(
    handled,
    'name of the person who says so',
    'what was done; stays readable if the personal data was erased before: do not name the payor',
  )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ paysession ledger list --waiting' +
        '\n  $ paysession ledger handled order-1042 --by avery --reason "collected again as order-1042-again"',
    )
    .action(recordHandled);
}

interface HandledOptions extends JsonOption, PersonAndReason {}

/**
 * Records that a return was handled. Throws `PaysessionError` `SESSION_NOT_FOUND`, or `INVALID_INPUT` if no money of the session has come
 * back.
 */
async function recordHandled(key: string, { by, reason, json }: HandledOptions): Promise<void> {
  const isDone = await withLedger((ledger) => ledger.handleReturn(key, { by, reason }));
  if (json) printJson({ key, outcome: isDone ? 'handled' : 'alreadyHandled' });
  else
    printLine(`${oneLine(key)}: ${isDone ? 'recorded as handled' : 'had been recorded as handled before'}`);
}
