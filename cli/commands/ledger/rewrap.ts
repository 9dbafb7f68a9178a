import type { RewrapProgress } from '../../../ledger';
import { printJson, printLine, type JsonOption } from '../../shared/screen/output';
import { progressText } from '../../shared/screen/progress-text';
import { openStatusLine } from '../../shared/screen/status-line';
import { withLedger } from './open-ledger';

/** Says what was done also where some keys could not be read, which is thrown. */
export async function printRewrap({ json }: JsonOption): Promise<void> {
  await withLedger(async (ledger) => {
    const statusLine = await openStatusLine('rewrapping …');
    let progress: RewrapProgress | undefined;
    try {
      for await (progress of ledger.rewrap()) {
        statusLine.show(progressText({ done: progress.looked, total: undefined }));
      }
      progress ??= { looked: 0, rewrapped: 0 };
    } finally {
      statusLine.close();
      if (progress !== undefined) print(progress, json);
    }
  });
}

function print({ looked, rewrapped }: RewrapProgress, json: true | undefined): void {
  if (json) printJson({ looked, rewrapped });
  else printLine(`sessions checked: ${looked}; keys rewrapped: ${rewrapped}`);
}
