import type { InjectedSinks } from '@temporalio/worker';
import { endFacts } from '../../src/protocol/ledger/session-facts';
import type { LedgerSinks } from '../../workflows/telling';
import type { ToldLedger } from './session-ledger';

/** What workflows tell the ledger. A worker without one lets it go: another worker may have put the session on it. */
export function ledgerSinks(ledger: ToldLedger | undefined): InjectedSinks<LedgerSinks> {
  return {
    paymentLedger: {
      parked: { fn: (_info, { facts, ...claim }) => ledger?.record(claim, facts) },
      ended: { fn: (_info, told, at) => ledger?.recordEnd(told, endFacts(told, at)) },
    },
  };
}
