import type { Command } from 'commander';
import { DEFAULT_CLIENT } from '../../sandbox/clients/default-client';
import { readWorkerSettings } from '../../src/settings';
import { printLine } from '../shared/output';
import { abortOnSignal } from '../shared/until-signal';

export function registerWorker(program: Command): void {
  program
    .command('worker')
    .description('run a worker with the environment’s settings until Ctrl-C')
    .addHelpText(
      'after',
      `\nExample:\n  $ PAYSESSION_BASE_URL=http://127.0.0.1:4010 PAYSESSION_CLIENT_ID=${DEFAULT_CLIENT.clientId} \\\n    PAYSESSION_CLIENT_SECRET=${DEFAULT_CLIENT.clientSecret} paysession worker`,
    )
    .action(async () => {
      const settings = readWorkerSettings(process.env);
      const [{ DefaultLogger, Runtime }, { runWorker }] = await Promise.all([
        import('@temporalio/worker'),
        import('../../worker/index.js'),
      ]);
      Runtime.install({ shutdownSignals: [], logger: new DefaultLogger('WARN') });
      const ready = `working for ${Object.keys(settings.accounts).join(', ')} on task queue ${settings.taskQueue}`;
      await runWorker({
        settings,
        signal: abortOnSignal(),
        onReady: () => {
          printLine(ready);
        },
      });
    });
}
