import type { Command } from 'commander';
import { registerArrivals } from './arrivals';
import { registerCheckpoint } from './checkpoint';
import { registerHandled } from './handled';
import { registerKeep } from './keep';
import { registerLists } from './list';
import { registerMigrate } from './migrate';
import { registerPersonalData } from './personal-data';
import { registerRestored } from './restored';
import { registerShow } from './show';
import { registerSweep } from './sweep';
import { registerUnmatched } from './unmatched';
import { registerVerify } from './verify';

/** Adds the command `ledger` and its subcommands. `--help` shows them in this order. */
export function registerLedger(program: Command): void {
  const ledger = program
    .command('ledger')
    .description('the record of sessions that outlives Temporal’s histories, in PostgreSQL');
  registerMigrate(ledger);
  registerShow(ledger);
  registerLists(ledger);
  registerHandled(ledger);
  registerUnmatched(ledger);
  registerArrivals(ledger);
  registerCheckpoint(ledger);
  registerVerify(ledger);
  registerSweep(ledger);
  registerRestored(ledger);
  registerKeep(ledger);
  registerPersonalData(ledger);
}
