import { SEARCH_ATTRIBUTES } from '../../../src';
import {
  DEVELOPMENT_DYNAMIC_CONFIG,
  startTemporalServer,
  type RunningTemporalServer,
  type StartTemporalServerOptions,
} from '../../../src/temporal-server';
import { use } from './use';

/** Settings of the Temporal server that divide each task queue into four partitions, as a cluster does by default. */
export const FOUR_PARTITIONS: Readonly<Record<string, string>> = {
  'matching.numTaskqueueReadPartitions': '4',
  'matching.numTaskqueueWritePartitions': '4',
};

/** Starts a Temporal server for a test file that cannot use the shared one. The caller must stop it. */
export function startOwnTemporalServer(
  dynamicConfig: Readonly<Record<string, string>> = {},
): Promise<RunningTemporalServer> {
  return startTemporalServerOn({ dynamicConfig: { ...DEVELOPMENT_DYNAMIC_CONFIG, ...dynamicConfig } });
}

/**
 * Starts a Temporal server for a test file. The caller must stop it. A later server with the same `databaseFile` and `port` continues
 * with the same data at the same address.
 */
export function startTemporalServerOn(
  options: Pick<StartTemporalServerOptions, 'databaseFile' | 'port' | 'dynamicConfig'>,
): Promise<RunningTemporalServer> {
  const executable = process.env['PAYSESSION_TEST_TEMPORAL_EXECUTABLE'];
  if (executable === undefined) throw new Error('needs a Temporal server of its own: unset TEMPORAL_ADDRESS');
  return startTemporalServer({ executable, searchAttributes: Object.values(SEARCH_ATTRIBUTES), ...options });
}

/** Starts a Temporal server for all tests of a file or a `describe`. */
export function useTemporalServer(
  dynamicConfig: Readonly<Record<string, string>> = {},
): RunningTemporalServer {
  return use(
    () => startOwnTemporalServer(dynamicConfig),
    (temporal) => temporal.stop(),
  );
}
