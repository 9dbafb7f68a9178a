import { bench } from '../shared/bench.js';
import { callerOf } from '../shared/calls.js';
import { startOwn } from '../shared/processes.js';
import { versionsOf } from '../shared/versions.js';
import { startPostgres } from './postgres.js';

await bench(async (folder, environment) => {
  const postgres = await startPostgres(folder);
  const { child } = await startOwn(new URL('worker.js', import.meta.url), {
    ...environment,
    DBOS_SYSTEM_DATABASE_URL: postgres.url,
  });
  const call = callerOf(child);
  return {
    versions: { ...versionsOf(['@dbos-inc/dbos-sdk']), postgresql: postgres.version },
    workerPid: child.pid ?? NaN,
    serverPid: postgres.pid,
    open: (key, pollEveryMs) => call('open', key, pollEveryMs),
    result: (key) => call('result', key),
    cancel: (key) => call('cancel', key),
  };
});
