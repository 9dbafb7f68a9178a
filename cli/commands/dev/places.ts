import { DEV_PORTS } from '../../shared/input/ports';
import type { Stack } from '../../shared/stack';
import type { DevPlaces } from './log';
import { DEFAULT_CLIENT } from '../../../sandbox/clients';

/** Addresses of what `dev` runs besides the stack. */
interface OwnPlaces {
  readonly shopUrl: string;
  readonly consoleUrl: string;
  readonly metricsUrl: string | undefined;
}

/** The addresses that `dev` prints. */
export function placesOf(stack: Stack, { shopUrl, consoleUrl, metricsUrl }: OwnPlaces): DevPlaces {
  const { engineAddress, uiUrl, sandboxUrl, controlUrl, ledger } = stack;
  const { clientId, clientSecret } = DEFAULT_CLIENT;
  const line = exportLine(engineAddress, process.env['TEMPORAL_ADDRESS']);
  return {
    addresses: [
      `Temporal ${engineAddress}`,
      `web UI   ${uiUrl ?? 'none'}`,
      `sandbox  ${sandboxUrl}  (client ${clientId}, secret ${clientSecret})`,
      `control  ${controlUrl ?? 'none'}  (faults, clock and payors; paysession play)`,
      `shop     ${shopUrl}  (log in to its banks as payor, password sandbox)`,
      `console  ${consoleUrl}`,
      `ledger   ${ledgerLine(ledger)}`,
      ...(metricsUrl === undefined ? [] : [`metrics  ${metricsUrl}`]),
      'worker   running',
      ...(line === undefined ? [] : ['In each other terminal, run this first:', line]),
      'Ctrl-C stops all of them.',
    ],
    summary: `shop ${shopUrl} · console ${consoleUrl} · UI ${uiUrl ?? 'none'}`,
  };
}

/** The command that leads programs and commands of another terminal to a Temporal server; `undefined` if they find it without. */
export function exportLine(
  address: string,
  set: string | undefined,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const known = set ?? `localhost:${DEV_PORTS.engine}`;
  if (known.replace(/^localhost:/, '127.0.0.1:') === address) return undefined;
  return platform === 'win32' ? `$env:TEMPORAL_ADDRESS = '${address}'` : `export TEMPORAL_ADDRESS=${address}`;
}

/** The URL of a ledger that is set stays unprinted: it may hold a password. */
function ledgerLine(ledger: Stack['ledger']): string {
  if (ledger === undefined) return 'none';
  const { ownUrl, missing } = ledger;
  if (missing !== undefined) return `none: ${missing}`;
  return ownUrl === undefined
    ? 'as PAYSESSION_LEDGER_URL says'
    : `${ownUrl}  (PAYSESSION_LEDGER_URL for paysession ledger list)`;
}
