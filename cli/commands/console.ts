import type { Command } from 'commander';
import { machineUser } from '../shared/decisions';
import { warnOfOtherEnvironments } from '../shared/ledger';
import { printLine } from '../shared/output';
import { webUrl, DEV_PORTS, parsePort } from '../shared/parse-arguments';
import { withSessions } from '../shared/sessions';
import { aborted, abortOnSignal } from '../shared/until-signal';
import { needOptionalPackages } from '../../src/files';

interface ConsoleFlags {
  readonly host: string;
  readonly port: number;
  readonly uiUrl?: string;
}

export function registerConsole(program: Command): void {
  program
    .command('console')
    .description('serve the operator’s console in the browser until Ctrl-C')
    .option('--host <address>', 'address to listen on; other addresses require a login', '127.0.0.1')
    .option('--port <n>', 'port to listen on', parsePort, DEV_PORTS.console)
    .option('--ui-url <url>', 'Temporal’s web UI, for links to a session’s history (default: none)', webUrl)
    .addHelpText(
      'after',
      '\nPAYSESSION_CONSOLE_OIDC_* or PAYSESSION_CONSOLE_PROXY_* say who may use it on another address.\n' +
        '\nExamples:\n  $ paysession console --ui-url http://localhost:8233' +
        '\n  $ paysession console --host 0.0.0.0 --port 8080',
    )
    .action(serve);
}

async function serve({ host, port, uiUrl }: ConsoleFlags): Promise<void> {
  needOptionalPackages('The console', ['fastify']);
  const { readConsoleSettings, readTemporalSettings } = await import('../../src/settings/index.js');
  const settings = readConsoleSettings(process.env);
  const { taskQueue } = readTemporalSettings(process.env);
  const { accessOfSettings } = await import('../../console/access/access.js');
  const { checkReach, serveConsole } = await import('../../console/serve-console.js');
  const access = accessOfSettings(settings, machineUser() ?? 'unknown');
  // This check comes before connecting. So an address that is open to everybody is refused even if Temporal does not answer.
  checkReach(access, host);
  const { warnOfExposedFiles } = await import('../shared/settings-warnings.js');
  warnOfExposedFiles();
  const signal = abortOnSignal();
  await withSessions(async (_sessions, { client, ledger }) => {
    // A failure is ignored here. If the ledger does not answer, the console's pages show that.
    if (ledger !== undefined) await warnOfOtherEnvironments(ledger).catch(() => undefined);
    const { PaymentSessions } = await import('../../src/sessions/index.js');
    const served = await serveConsole({
      client,
      sessions: new PaymentSessions(client, { taskQueue }),
      ledger,
      taskQueue,
      access,
      timeZone: settings.timeZone,
      ...(settings.portalUrl !== undefined && { portalUrl: settings.portalUrl }),
      ...(uiUrl !== undefined && { uiUrl }),
      log: printLine,
      host,
      port,
    });
    try {
      const at = access.kind === 'local' ? served.url : `${served.url}, for ${access.publicUrl}`;
      printLine(`listening on ${at}`);
      await aborted(signal);
    } finally {
      await served.close();
    }
  });
}
