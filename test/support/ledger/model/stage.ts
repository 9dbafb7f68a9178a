import type { PaymentLedger } from '../../../../ledger';
import { testBundle } from '../../setup/global-values';
import { closesLater, openLedger, testLedger } from '../test-ledger';
import { LedgerBackups } from './ledger-backups';
import { ENDPOINT } from './webhooks';
import { WorkflowCode } from './workflow-code';
import type { Stage } from './world';

/**
 * Sets up what all histories of a test share: the workflow code, and a ledger with two environments. The first environment has two
 * workers.
 */
export async function newStage(): Promise<Stage> {
  const { url, database } = await testLedger();
  // Without waiting for the disk, the histories are faster.
  const name = new URL(url).pathname.slice(1);
  await database.query(`alter database ${name} set synchronous_commit = off`);
  const code = await WorkflowCode.load(testBundle());
  closesLater(() => code.close());
  const open = (environment: string): PaymentLedger => openLedger(url, { environment });
  const ledgers = new Map([
    ['one', [open('one'), open('one')]],
    ['two', [open('two')]],
  ]);
  for (const [ledger] of ledgers.values()) await ledger?.webhookEndpoints.register([ENDPOINT]);
  const empty = await new LedgerBackups(database).take();
  return { code, database, ledgers, empty };
}
