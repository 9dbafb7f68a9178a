import { SEARCH_ATTRIBUTES } from '../../../src';
import {
  DEVELOPMENT_DYNAMIC_CONFIG,
  startEngine,
  type RunningEngine,
  type StartEngineOptions,
} from '../../../src/temporal-server';
import { use } from './use';

/** A task queue's partitions as a cluster has them by default. */
export const FOUR_PARTITIONS: Readonly<Record<string, string>> = {
  'matching.numTaskqueueReadPartitions': '4',
  'matching.numTaskqueueWritePartitions': '4',
};

/** Starts a Temporal server for one test file that cannot use the shared one. The caller stops it. */
export function startOwnEngine(dynamicConfig: Readonly<Record<string, string>> = {}): Promise<RunningEngine> {
  return startEngineOn({ dynamicConfig: { ...DEVELOPMENT_DYNAMIC_CONFIG, ...dynamicConfig } });
}

/** The same on a database file, over which another one can go on, at the same port. */
export function startEngineOn(
  options: Pick<StartEngineOptions, 'databaseFile' | 'port' | 'dynamicConfig'>,
): Promise<RunningEngine> {
  const executable = process.env['PAYSESSION_TEST_ENGINE_EXECUTABLE'];
  if (executable === undefined) throw new Error('needs an engine of its own: unset TEMPORAL_ADDRESS');
  return startEngine({ executable, searchAttributes: Object.values(SEARCH_ATTRIBUTES), ...options });
}

/** Starts a Temporal server of its own for all tests of a file or a `describe`. */
export function useEngine(dynamicConfig: Readonly<Record<string, string>> = {}): RunningEngine {
  return use(
    () => startOwnEngine(dynamicConfig),
    (engine) => engine.stop(),
  );
}
