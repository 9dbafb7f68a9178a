import type { Command } from 'commander';
import { printLine } from '../shared/output';
import { abortOnSignal } from '../shared/until-signal';
import { DEFAULT_CLIENT } from '../../sandbox/default-client';

export function registerWorker(program: Command): void {
  program
    .command('worker')
    .description('run a worker with the environment’s settings until Ctrl-C')
    .addHelpText(
      'after',
      `\nExample:\n  $ PAYSESSION_BASE_URL=http://127.0.0.1:4010 PAYSESSION_CLIENT_ID=${DEFAULT_CLIENT.clientId} \\\n    PAYSESSION_CLIENT_SECRET=${DEFAULT_CLIENT.clientSecret} paysession worker`,
    )
    .action(async () => {
      const { readWorkerSettings } = await import('../../src/settings/index.js');
      const settings = readWorkerSettings(process.env);
      const [{ installRuntime, readyLine }, { runWorker }] = await Promise.all([
        import('../../worker/runtime.js'),
        import('../../worker/run-worker.js'),
      ]);
      const log = installRuntime(settings);
      try {
        await runWorker({
          settings,
          signal: abortOnSignal(),
          onReady: () => {
            printLine(readyLine(settings));
          },
        });
      } finally {
        log.close();
      }
    });
}
