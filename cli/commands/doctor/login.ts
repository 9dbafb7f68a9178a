import { Provider } from '../../../console/access/oidc-provider';
import { ProviderFault } from '../../../console/access/provider-fault';
import { SettingsError } from '../../../src/errors';
import { readConsoleSettings, type ConsoleSettings } from '../../../src/settings';
import type { Finding } from './finding';
import { MissingPackagesError, needOptionalPackages } from '../../../src/files';

/** Reads the settings of the console's login. Returns a finding for each error in a `PAYSESSION_CONSOLE_*` setting. */
export function examineConsoleSettings(env: NodeJS.ProcessEnv): {
  readonly findings: readonly Finding[];
  readonly oidc?: ConsoleSettings['oidc'];
} {
  try {
    const { oidc } = readConsoleSettings(env);
    return { findings: [], ...(oidc && { oidc }) };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const findings = error.failures
      .filter(({ path }) => path.startsWith('PAYSESSION_CONSOLE_'))
      .map(({ path, message }) => ({
        subject: path,
        ok: false,
        found: message,
        fix: 'Correct it before you start the console.',
      }));
    return { findings };
  }
}

const SUBJECT = 'Identity provider';

/** The largest difference between the clocks that is accepted. With a larger one, id tokens may be refused as expired, or as not valid yet. */
const MOST_APART_MS = 30_000;

/** Requests the identity provider's published configuration, and compares its clock with this machine's clock. Logs in no user, and sends no secret. */
export async function examineLogin(oidc: ConsoleSettings['oidc']): Promise<readonly Finding[]> {
  if (oidc === undefined) return [];
  try {
    needOptionalPackages('A login at the console', ['openid-client', 'jose']);
    const { clockAheadMs = 0 } = await new Provider({ ...oidc, publicUrl: '' }).check();
    if (Math.abs(clockAheadMs) <= MOST_APART_MS)
      return [{ subject: SUBJECT, ok: true, found: `${oidc.issuer} answers under this name` }];
    const seconds = Math.round(Math.abs(clockAheadMs) / 1_000);
    return [
      {
        subject: SUBJECT,
        ok: false,
        found: `its clock is ${seconds} s ${clockAheadMs > 0 ? 'ahead of' : 'behind'} the clock of this machine`,
        fix: 'Synchronise the clock of this machine: otherwise id tokens are refused as expired or not valid yet.',
      },
    ];
  } catch (error) {
    const { cause } = error as { readonly cause?: unknown };
    if (cause instanceof ProviderFault)
      return [{ subject: SUBJECT, ok: false, found: cause.message, fix: remedyOf(cause) }];
    if (!(error instanceof MissingPackagesError)) throw error;
    return [{ subject: SUBJECT, ok: true, found: 'not checked', fix: error.message }];
  }
}

function remedyOf({ differing, isUnreached }: ProviderFault): string {
  if (differing !== undefined)
    return `Set ${differing.from} to exactly the provider’s value, including a slash at its end, or correct the value at the provider.`;
  return isUnreached
    ? 'Check PAYSESSION_CONSOLE_OIDC_ISSUER, the network, HTTPS_PROXY and NODE_EXTRA_CA_CERTS.'
    : 'Check that PAYSESSION_CONSOLE_OIDC_ISSUER is the issuer itself: its configuration is read below it, at /.well-known/openid-configuration.';
}
