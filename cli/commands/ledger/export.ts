import { InvalidArgumentError } from 'commander';
import { once } from 'node:events';
import { exportedLine, headOf, type ExportFormat } from '../../../ledger/sessions/exported-line';
import { withLedger } from './open-ledger';
import { warnOfOtherEnvironments } from './own-environment';

export interface LedgerExportOptions {
  /** The first day. */
  readonly from: Date;
  /** The day after the last one. */
  readonly to: Date;
  readonly format: ExportFormat;
}

/** Writes are gathered to this size, in characters. */
const CHUNK = 64 * 1_024;

/** Writes sessions to standard output as it takes them: memory stays small, however many they are. */
export async function exportSessions({ from, to, format }: LedgerExportOptions): Promise<void> {
  if (from >= to)
    throw new InvalidArgumentError('--to must be after --from: it is the day behind the last one.');
  await withLedger(async (ledger) => {
    let text = headOf(format);
    const filter = { claimedFrom: from, claimedBefore: to };
    const oldestFirst = { by: 'claimed', direction: 'asc' } as const;
    let isEmpty = true;
    for await (const session of ledger.payments.all(filter, oldestFirst)) {
      isEmpty = false;
      text += exportedLine(session, format);
      if (text.length < CHUNK) continue;
      await write(text);
      text = '';
    }
    await write(text);
    if (isEmpty) await warnOfOtherEnvironments(ledger);
  });
}

async function write(text: string): Promise<void> {
  const { stdout } = process;
  if (!stdout.write(text)) await once(stdout, 'drain');
}
