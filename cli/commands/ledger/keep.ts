import { Option, type Command } from 'commander';
import type { CheckpointStore, KeeperEvent } from '../../../ledger';
import { SettingsError } from '../../../src/errors';
import { serveMetrics } from '../../shared/http-servers';
import { checkOwnEnvironment, checkUnlessAway } from '../../shared/ledger';
import {
  counted,
  jsonLinesOption,
  printEvent,
  printProgress,
  printWarning,
  type JsonLinesOption,
} from '../../shared/output';
import { duration, LISTEN_HOST, parsePort, pastTime } from '../../shared/parse-arguments';
import { withLedgerAndClient } from '../../shared/sessions';
import { abortOnSignal } from '../../shared/until-signal';
import { checkedVerifierKey, configuredSigner, coveredBy } from './checkpoint';
import { entriesWithHashes } from './verify';
import type { CheckpointSigner } from '../../../ledger/log/signed-note';

export function registerKeep(ledger: Command): void {
  ledger
    .command('keep')
    .description(
      'maintain the ledger until Ctrl-C: sign checkpoints, record missing entries, verify the ledger',
    )
    .option('--publish <folder>', 'also write each checkpoint to a file in this folder')
    .addOption(interval('--checkpoint-every', '5m', 'time between two checkpoints'))
    .addOption(interval('--sweep-every', '1h', 'time between two checks for missing entries'))
    .addOption(interval('--verify-every', '1d', 'time between two verifications of the whole ledger'))
    .option(
      '--ended-after <time>',
      'the first check is only for sessions that ended after this time (ISO 8601) or within this age (default: all that Temporal has)',
      pastTime,
    )
    .option('--earlier-key <verifier-key...>', 'verifier keys of earlier signing keys')
    .option('--metrics-port <n>', 'port of /metrics and /livez (default: none)', parsePort)
    .option('--metrics-host <host>', 'address to listen on', LISTEN_HOST)
    .addOption(jsonLinesOption())
    .addHelpText(
      'after',
      '\nRun one for each environment, next to the workers. PAYSESSION_LEDGER_SIGNING_KEY signs the checkpoints; without it, no checkpoints are made.\n\nExample:\n  $ paysession ledger keep --publish /mnt/checkpoints --metrics-port 9465',
    )
    .action(runKeeper);
}

/** Returns the option that sets the interval of a job. The help shows the default as a duration such as `1h`. */
const interval = (flag: string, usual: string, meaning: string): Option =>
  new Option(`${flag} <duration>`, meaning).argParser(duration).default(duration(usual), usual);

interface KeepCommandOptions extends JsonLinesOption {
  readonly publish?: string;
  readonly checkpointEvery: number;
  readonly sweepEvery: number;
  readonly verifyEvery: number;
  readonly endedAfter?: Date;
  readonly earlierKey?: readonly string[];
  readonly metricsPort?: number;
  readonly metricsHost: string;
}

async function runKeeper(options: KeepCommandOptions): Promise<void> {
  const { endedAfter } = options;
  const earlierKeys = options.earlierKey?.map((key) => checkedVerifierKey('--earlier-key', key));
  const everyMs = {
    checkpoint: options.checkpointEvery,
    sweep: options.sweepEvery,
    verify: options.verifyEvery,
  };
  const signer = await configuredSigner();
  if (signer === undefined && earlierKeys !== undefined) throw needsSigner('--earlier-key');
  const store = await storeOf(options, signer);
  // Reads the newest checkpoint only to fail at once if the folder cannot be read, or if none of the keys has signed that checkpoint. Otherwise the
  // first checkpoint job would fail.
  await store?.newest();
  warnOf(signer, store);
  const { warnOfExposedFiles } = await import('../../shared/settings-warnings.js');
  warnOfExposedFiles();
  const signal = abortOnSignal();
  const { checkpoint: _unsigned, ...withoutCheckpoints } = everyMs;
  const { keepLedger } = await import('../../../ledger/index.js');
  const { KeeperMetrics } = await import('../../../ledger/log/keeper-metrics.js');
  const metrics = new KeeperMetrics(signer === undefined ? withoutCheckpoints : everyMs);
  await withLedgerAndClient(async (ledger, client) => {
    await checkUnlessAway(ledger);
    await checkOwnEnvironment(ledger, client);
    const server = await serveMetrics(options, () => metrics.text());
    try {
      printProgress(`Keeping the ledger’s environment ${ledger.environment} in order. Ctrl-C stops this.`);
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
          printEvent(event, textOf(event), options);
        },
        signal,
      });
    } finally {
      await server?.close();
    }
  });
}

const needsSigner = (path: string): SettingsError =>
  new SettingsError([
    {
      path,
      message: 'needs PAYSESSION_LEDGER_SIGNING_KEY: make one with `paysession ledger new-key NAME`',
    },
  ]);

async function storeOf(
  { publish, earlierKey = [] }: KeepCommandOptions,
  signer: CheckpointSigner | undefined,
): Promise<CheckpointStore | undefined> {
  if (publish === undefined) return undefined;
  if (signer === undefined) throw needsSigner('--publish');
  const { checkpointFolder } = await import('../../../ledger/index.js');
  return checkpointFolder(publish, [signer.verifierKey, ...earlierKey]);
}

function warnOf(signer: CheckpointSigner | undefined, store: CheckpointStore | undefined): void {
  if (signer === undefined)
    printWarning(
      'no checkpoints are signed: set PAYSESSION_LEDGER_SIGNING_KEY. Until then a rewrite of the whole ledger cannot be detected.',
    );
  else if (store === undefined)
    printWarning(
      'checkpoints are kept in the database alone, whose administrator can change them: give --publish.',
    );
}

function textOf(event: KeeperEvent): string {
  switch (event.kind) {
    case 'checkpointed':
      return coveredBy(event);
    case 'swept': {
      const unrecorded =
        event.unrecorded === 0 ? '' : ` ${event.unrecorded} left out: \`paysession ledger sweep\` says why.`;
      return `${counted(event.looked, 'ended session')} checked, ${event.mended} fixed.${unrecorded}`;
    }
    case 'counted':
      return `${counted(event.late, 'payment')} late, ${counted(event.returned, 'return')} and ${counted(event.unmatched, 'unmatched line')} waiting.`;
    case 'verified':
      return `${entriesWithHashes(event)}, and ${event.entries} with the log.`;
    case 'faulty':
      return `THE LEDGER WAS CHANGED (${event.fault.kind}): ${event.fault.message} Run \`paysession ledger verify\`.`;
    case 'failed':
      return `The job ${event.job} failed and is tried again soon: ${event.message} (${event.code})`;
  }
}
