import { newSigningKey, readSigningKey, type LedgerFact, type PaymentLedger } from '../../../ledger';
import { CLAIM } from './claim';
import { reconcileWhole } from './reconciliation-files';
import { openLedger, testLedger, type TestLedger } from './test-ledger';
import type { CheckpointSigner } from '../../../ledger/log/signed-note';

const at = '2026-03-01T12:00:00.000Z';

const factsOf = (name: string): readonly LedgerFact[] => [
  { kind: 'opened', at, sessionId: name, how: 'create' },
  { kind: 'state', at, number: 1, status: 'Initiated', code: 'EFT0101', source: 'create' },
  { kind: 'state', at, number: 2, status: 'Completed', code: 'EFT0301', source: 'poll', amount: 25.1 },
];
const MONEY: readonly LedgerFact[] = [
  { kind: 'settled', at: '2026-03-03T00:00:00.000Z', amount: 25.1 },
  { kind: 'returned', at: '2026-03-05T00:00:00.000Z', amount: 25.1, code: 'NSF' },
];

/** A ledger with rows in all tables, for tests of tampering. It comes with the checkpoints and the key that an auditor has kept. */
export interface KeptLedger extends TestLedger {
  readonly signer: CheckpointSigner;
  /** The checkpoints that an auditor keeps elsewhere, smallest first. */
  readonly since: readonly string[];
  readonly verifierKey: string;
}

/** Makes a signer with a new key. */
export function newSigner(): CheckpointSigner {
  const signer = readSigningKey(newSigningKey('shop.example/ledger'));
  if (signer === undefined) throw new Error('a new key cannot be read');
  return signer;
}

/**
 * Fills a new ledger: sessions of two environments, waiting webhooks, returned money, an erased session, two checkpoints, entries
 * that are not in the log yet, and unmatched lines of reconciliation files.
 */
export async function keptLedger(): Promise<KeptLedger> {
  const own = await testLedger();
  const signer = newSigner();
  const { ledger } = own;
  const other = openLedger(own.url, { environment: 'other' });
  await ledger.webhookEndpoints.register([{ name: 'shop', url: 'https://shop.example', secrets: [] }]);
  await ledger.namespaces.register({ name: 'default', id: 'namespace-1' });
  await fill(ledger, ['order-1', 'order-2']);
  await ledger.record(claimOf('order-2'), MONEY);
  const { note: first } = await ledger.checkpoint(signer);
  await fill(other, ['order-1', 'order-3']);
  await ledger.erase('order-1', { by: 'ann', reason: 'request 77' });
  const { note: second } = await ledger.checkpoint(signer);
  await fill(ledger, ['order-4']);
  await keepUnmatchedLines(ledger);
  return { ...own, signer, since: [first, second], verifierKey: signer.verifierKey };
}

/** Adds three unmatched reconciliation lines. Then one is explained, and a second run matches another one. */
async function keepUnmatchedLines(ledger: PaymentLedger): Promise<void> {
  const lines = [
    'INV order-2,25.10,2026-03-03,settled',
    'nobody,1.00,2026-03-03,settled',
    'no one,2.00,2026-03-03,settled',
  ];
  const file = ['reference,amount,date,kind', ...lines, ''].join('\n');
  const [, explained] = await reconcileWhole(ledger, file, { account: 'other' });
  await reconcileWhole(ledger, file);
  await ledger.explainLine(explained?.id ?? '', { by: 'ann', reason: 'a refund of March' });
}

const claimOf = (key: string) => ({ ...CLAIM, key, firstRunId: `run-${key}`, referenceId: `INV ${key}` });

async function fill(ledger: PaymentLedger, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    await ledger.claim(claimOf(key));
    await ledger.record(claimOf(key), factsOf(`${ledger.environment}-${key}`));
  }
}
