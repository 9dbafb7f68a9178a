import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Command } from 'commander';
import { oneLine, printJson, printLine, type JsonOption } from '../../shared/output';
import { withSessions } from '../../shared/sessions';
import { waitingFor } from '../../shared/status-line';

export function registerOpen(program: Command): void {
  program
    .command('open')
    .description('open a session’s checkout page in the browser, and print its address')
    .argument('<key>', 'the session’s key')
    .option('--json', 'print JSON, and open nothing')
    .addHelpText('after', '\nExample:\n  $ paysession open order-1042')
    .action(async (key: string, { json }: JsonOption) => {
      const opened = await withSessions((sessions) =>
        waitingFor(`${key}: waiting for its checkout URL`, () => sessions.get(key).opened()),
      );
      if (json) {
        printJson(opened);
        return;
      }
      printLine(oneLine(opened.checkoutUrl));
      await openInBrowser(opened.checkoutUrl);
    });
}

/** Opens an http or https address in the browser. For other addresses, or if there is no browser, does nothing: the caller also prints the address. */
async function openInBrowser(url: string): Promise<void> {
  const opener = openerOf(process.platform, process.env);
  if (opener === undefined || !/^https?:/i.test(url)) return;
  const [program, ...args] = opener;
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  child.unref();
  await once(child, 'spawn').catch(() => undefined);
}

/** Returns the program that opens an address, and its first arguments. It is run without a shell. Returns `undefined` if there is no such program. */
function openerOf(
  platform: NodeJS.Platform,
  { BROWSER, DISPLAY, WAYLAND_DISPLAY }: NodeJS.ProcessEnv,
): readonly [string, ...string[]] | undefined {
  if (BROWSER) return [BROWSER];
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return DISPLAY || WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
}
