import type { KeeperEvent } from '../../../../ledger';
import { coveredBy } from '../checkpoint';
import { printJsonLine, printLine, type JsonLinesOption } from '../../../shared/screen/output';

/** Prints what has happened, with the time. */
export function printEvent(event: KeeperEvent, { jsonl }: JsonLinesOption): void {
  const at = new Date().toISOString();
  if (jsonl) printJsonLine({ at, ...event });
  else printLine(`${at}  ${textOf(event)}`);
}

function textOf(event: KeeperEvent): string {
  switch (event.kind) {
    case 'checkpointed':
      return coveredBy(event);
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
