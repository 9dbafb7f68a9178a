import {
  checkpointFolder,
  checkpointOutput,
  keepLedger,
  KeeperMetrics,
  type CheckpointSigner,
  type CheckpointStore,
  type KeeperEvent,
} from '../../../../ledger';
import { SettingsError } from '../../../../src/errors';
import { serveMetrics } from '../../../shared/run/serve-metrics';
import { abortOnSignal } from '../../../shared/run/until-signal';
import { warnOfExposedFiles } from '../../../shared/run/settings-warnings';
import { printProgress, printWarning, type JsonOption } from '../../../shared/screen/output';
import { checkUnlessAway, withLedgerAndClient } from '../open-ledger';
import { checkOwnEnvironment } from '../own-environment';
import { checkedVerifierKey, configuredSigner } from '../signing-key';
import { printEvent } from './print-event';

export interface KeepCommandOptions extends JsonOption {
  readonly publish?: string;
  readonly checkpointEvery: number;
  readonly sweepEvery: number;
  readonly verifyEvery: number;
  readonly endedAfter?: Date;
  readonly earlierKey?: readonly string[];
  readonly metricsPort?: number;
  readonly metricsHost: string;
}

export async function runKeeper(options: KeepCommandOptions): Promise<void> {
  const { endedAfter } = options;
  const earlierKeys = options.earlierKey?.map((key) => checkedVerifierKey('--earlier-key', key));
  const everyMs = {
    checkpoint: options.checkpointEvery,
    sweep: options.sweepEvery,
    verify: options.verifyEvery,
  };
  const signer = configuredSigner();
  const store = storeOf(options, signer);
  // Fails here where the folder is not there or not ours, and not only once there is something to keep.
  await store?.newest();
  warnOf(signer, store);
  warnOfExposedFiles();
  const signal = abortOnSignal();
  const { checkpoint: _unsigned, ...withoutCheckpoints } = everyMs;
  const metrics = new KeeperMetrics(signer === undefined ? withoutCheckpoints : everyMs);
  await withLedgerAndClient(async (ledger, client) => {
    await checkUnlessAway(ledger);
    await checkOwnEnvironment(ledger, client);
    const server = await serveMetrics(options, () => metrics.text());
    try {
      printProgress(`Keeping the ledger of ${ledger.environment} in order. Ctrl-C stops it.`);
      await keepLedger({
        ledger,
        client,
        signer,
        store,
        earlierKeys,
        endedAfter,
        everyMs,
        onEvent: (event: KeeperEvent) => {
          metrics.count(event);
          printEvent(event, options);
        },
        signal,
      });
    } finally {
      await server?.close();
    }
  });
}

function storeOf(
  { publish, earlierKey = [] }: KeepCommandOptions,
  signer: CheckpointSigner | undefined,
): CheckpointStore | undefined {
  if (publish === undefined) return undefined;
  if (signer === undefined) {
    const message = 'needs PAYSESSION_LEDGER_SIGNING_KEY: make one with `paysession ledger new-key NAME`';
    throw new SettingsError([{ path: '--publish', message }]);
  }
  if (publish === '-') return checkpointOutput((note) => process.stdout.write(note));
  return checkpointFolder(publish, [signer.verifierKey, ...earlierKey]);
}

function warnOf(signer: CheckpointSigner | undefined, store: CheckpointStore | undefined): void {
  if (signer === undefined)
    printWarning(
      'no checkpoints are signed: set PAYSESSION_LEDGER_SIGNING_KEY. Until then nobody can tell whether the whole ledger was rewritten.',
    );
  else if (store === undefined)
    printWarning(
      'checkpoints are kept in the database alone, whose administrator can change them: give --publish.',
    );
}
