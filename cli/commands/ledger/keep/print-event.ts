import type { KeeperEvent } from '../../../../ledger';
import { printJsonLine, printLine, type JsonLinesOption } from '../../../shared/screen/output';

/** Where checkpoints go to standard output, what happens is for people, on standard error. */
export function printEvent(
  event: KeeperEvent,
  { jsonl, publish }: JsonLinesOption & { readonly publish?: string },
): void {
  const at = new Date().toISOString();
  if (publish === '-')
    process.stderr.write(`${jsonl ? JSON.stringify({ at, ...event }) : `${at}  ${textOf(event)}`}\n`);
  else if (jsonl) printJsonLine({ at, ...event });
  else printLine(`${at}  ${textOf(event)}`);
}

function textOf(event: KeeperEvent): string {
  switch (event.kind) {
    case 'checkpointed':
      return `The checkpoint covers ${event.size} ${event.size === 1 ? 'entry' : 'entries'}, ${event.added} of them new.`;
    case 'swept': {
      const unreadable =
        event.unreadable === 0 ? '' : ` ${event.unreadable} left out: \`paysession ledger sweep\` says why.`;
      return `${event.looked} ended ${event.looked === 1 ? 'session' : 'sessions'} checked, ${event.mended} mended.${unreadable}`;
    }
    case 'verified':
      return `${event.entries + event.waiting} entries agree with their hashes, and ${event.entries} with the log.`;
    case 'faulty':
      return `THE LEDGER WAS CHANGED (${event.fault.kind}): ${event.fault.message} Run \`paysession ledger verify\`.`;
    case 'failed':
      return `The ${event.job} failed and is tried again soon: ${event.message} (${event.code})`;
  }
}
