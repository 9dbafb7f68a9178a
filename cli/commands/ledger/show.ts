import type { Command } from 'commander';
import type { LedgerFact } from '../../../ledger';
import { warnOfOtherEnvironments, withLedger } from '../../shared/ledger';
import {
  formatMoney,
  formatState,
  oneLine,
  printJson,
  printLine,
  type JsonOption,
} from '../../shared/output';
import { metadataWords, searchablePart } from '../../../src/protocol/metadata';
import { explainReturn } from '../../shared/session-state';
import { formatTable } from '../../shared/table';
import { fullTime } from '../../shared/terminal';

export function registerShow(ledger: Command): void {
  ledger
    .command('show')
    .description('show all that the ledger knows about a session, even after Temporal has deleted it')
    .argument('<key>', 'the session’s key')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ paysession ledger show order-1042')
    .action(showEntries);
}

/** Prints a session's entries. Throws `PaysessionError` `SESSION_NOT_FOUND` if the ledger does not know the key. */
async function showEntries(key: string, { json }: JsonOption): Promise<void> {
  await withLedger(async (ledger) => {
    const entries = await ledger.entriesOf(key);
    if (entries.length === 0) {
      await warnOfOtherEnvironments(ledger);
      const { unknownKey } = await import('../../../ledger/payment-ledger.js');
      throw unknownKey(key);
    }
    if (json) printJson(entries);
    else {
      // The claim is shown only if the key has several. Most keys have one.
      const claims = entries.some(({ claim }) => claim > 1) && 'CLAIM';
      const rows = entries.map(({ number, claim, fact }) => [
        String(number),
        String(claim),
        fullTime(fact.at, process.stdout),
        TITLES[fact.kind],
        describe(fact),
      ]);
      const details = { title: 'DETAILS', narrowed: 'wrapped' } as const;
      printLine(formatTable(['NO', claims, 'TIME', 'WHAT', details], rows));
    }
  });
}

const TITLES: Readonly<Record<LedgerFact['kind'], string>> = {
  claimed: 'key claimed',
  createUnknown: 'create unknown',
  opened: 'session opened',
  state: 'state',
  cancel: 'cancellation',
  parked: 'waits for a decision',
  decision: 'decision',
  anomaly: 'anomaly',
  erased: 'personal data erased',
  settled: 'money settled',
  returned: 'money returned',
  handled: 'return handled',
  ended: 'ended',
};

/** Describes the main parts of a fact. The other parts, such as the request and the result, are printed only with `--json`. */
function describe(fact: LedgerFact): string {
  switch (fact.kind) {
    case 'claimed': {
      const { sessionKind, direction, account, amount, amountOpen } = fact;
      return words(
        sessionKind,
        direction === 'CREDIT' ? 'CREDIT' : undefined,
        amount === undefined ? 'amount open' : formatMoney(amount),
        amount !== undefined && amountOpen ? 'the payor may change the amount' : undefined,
        `account ${account}`,
        ...metadataWords(searchablePart(fact)),
      );
    }
    case 'createUnknown':
    case 'parked':
      return fact.code;
    case 'opened':
      return words(fact.sessionId, fact.how === 'adopt' ? 'named by a person' : undefined);
    case 'state':
      return words(formatState(fact), `by ${fact.source}`);
    case 'cancel':
      return words(fact.outcome ?? 'not answered', `asked by ${fact.by}`);
    case 'decision':
      return words(fact.decision, fact.result, fact.by && `by ${fact.by}`, fact.reason);
    case 'anomaly':
      return words(fact.anomaly, fact.detail);
    case 'erased':
      return words(`by ${fact.by}`, fact.reason);
    case 'settled':
      return formatMoney(fact.amount);
    case 'returned':
      return words(formatMoney(fact.amount), explainReturn(fact.code));
    case 'handled':
      return words(fact.by && `by ${fact.by}`, fact.reason);
    case 'ended':
      return fact.failure ?? words(formatState(fact), fact.paid ? 'paid' : 'not paid');
  }
}

const words = (...parts: readonly (string | undefined)[]): string =>
  parts
    .filter((part) => part !== undefined && part !== '')
    .map((part) => oneLine(String(part)))
    .join(', ');
