import { parseSettings, refuseFailures, type Environment } from './parse-settings';
import { parseEither } from './secret-file';
import { unknownSettings } from './unknown-settings';

/** Who may use the console, and how they are known. */
export interface ConsoleSettings {
  /** Scheme, host and port that browsers know it by. */
  readonly publicUrl?: string;
  readonly roleNames: { readonly viewer: string; readonly operator: string };
  /** How people log in; if absent, they don't. */
  readonly oidc?: {
    readonly issuer: string;
    readonly clientId: string;
    readonly clientSecret?: string;
    readonly scope: string;
    readonly nameClaim?: string;
    readonly roleClaim: string;
    readonly loginLastsMs: number;
  };
  /** Addresses and ranges of the proxies in front of it; may be empty. */
  readonly proxies: readonly string[];
  readonly userHeader: string;
  readonly roleHeader: string;
  /** If absent, one is made. */
  readonly secret?: string;
}

/** Reads the console's settings. Throws `SettingsError` with all failures at once. */
export function readConsoleSettings(env: Environment = process.env): ConsoleSettings {
  const { value, failures } = parseSettings(env, [
    'PAYSESSION_CONSOLE_PUBLIC_URL',
    'PAYSESSION_CONSOLE_OIDC_ISSUER',
    'PAYSESSION_CONSOLE_OIDC_CLIENT_ID',
    'PAYSESSION_CONSOLE_OIDC_SCOPE',
    'PAYSESSION_CONSOLE_NAME_CLAIM',
    'PAYSESSION_CONSOLE_ROLE_CLAIM',
    'PAYSESSION_CONSOLE_VIEWER_ROLE',
    'PAYSESSION_CONSOLE_OPERATOR_ROLE',
    'PAYSESSION_CONSOLE_PROXY_ADDRESSES',
    'PAYSESSION_CONSOLE_PROXY_USER_HEADER',
    'PAYSESSION_CONSOLE_PROXY_ROLE_HEADER',
    'PAYSESSION_CONSOLE_LOGIN_LASTS',
  ]);
  const clientSecret = parseEither(
    env,
    'PAYSESSION_CONSOLE_OIDC_CLIENT_SECRET',
    'PAYSESSION_CONSOLE_OIDC_CLIENT_SECRET_FILE',
  );
  const secret = parseEither(env, 'PAYSESSION_CONSOLE_SECRET', 'PAYSESSION_CONSOLE_SECRET_FILE');
  refuseFailures([
    ...unknownSettings(env, 'client'),
    ...failures,
    ...clientSecret.failures,
    ...secret.failures,
    ...missing(value),
  ]);
  const {
    PAYSESSION_CONSOLE_PUBLIC_URL: publicUrl,
    PAYSESSION_CONSOLE_OIDC_ISSUER: issuer,
    PAYSESSION_CONSOLE_OIDC_CLIENT_ID: clientId = '',
    PAYSESSION_CONSOLE_NAME_CLAIM: nameClaim,
  } = value;
  return {
    ...(publicUrl !== undefined && { publicUrl }),
    roleNames: {
      viewer: value.PAYSESSION_CONSOLE_VIEWER_ROLE,
      operator: value.PAYSESSION_CONSOLE_OPERATOR_ROLE,
    },
    ...(issuer !== undefined && {
      oidc: {
        issuer,
        clientId,
        ...(clientSecret.value !== undefined && { clientSecret: clientSecret.value }),
        scope: value.PAYSESSION_CONSOLE_OIDC_SCOPE,
        ...(nameClaim !== undefined && { nameClaim }),
        roleClaim: value.PAYSESSION_CONSOLE_ROLE_CLAIM,
        loginLastsMs: value.PAYSESSION_CONSOLE_LOGIN_LASTS,
      },
    }),
    proxies: value.PAYSESSION_CONSOLE_PROXY_ADDRESSES ?? [],
    userHeader: value.PAYSESSION_CONSOLE_PROXY_USER_HEADER,
    roleHeader: value.PAYSESSION_CONSOLE_PROXY_ROLE_HEADER,
    ...(secret.value !== undefined && { secret: secret.value }),
  };
}

/** An access that is only set in part lets in others than was meant. */
function missing(value: {
  readonly PAYSESSION_CONSOLE_PUBLIC_URL: string | undefined;
  readonly PAYSESSION_CONSOLE_OIDC_ISSUER: string | undefined;
  readonly PAYSESSION_CONSOLE_OIDC_CLIENT_ID: string | undefined;
  readonly PAYSESSION_CONSOLE_PROXY_ADDRESSES: readonly string[] | undefined;
}) {
  const {
    PAYSESSION_CONSOLE_PUBLIC_URL: publicUrl,
    PAYSESSION_CONSOLE_OIDC_ISSUER: issuer,
    PAYSESSION_CONSOLE_OIDC_CLIENT_ID: clientId,
    PAYSESSION_CONSOLE_PROXY_ADDRESSES: proxies,
  } = value;
  const needs = (path: string, other: string) => ({ path, message: `is missing: it goes with ${other}` });
  return [
    ...(publicUrl === undefined && issuer !== undefined
      ? [needs('PAYSESSION_CONSOLE_PUBLIC_URL', 'PAYSESSION_CONSOLE_OIDC_ISSUER')]
      : []),
    ...(publicUrl === undefined && issuer === undefined && proxies !== undefined
      ? [needs('PAYSESSION_CONSOLE_PUBLIC_URL', 'PAYSESSION_CONSOLE_PROXY_ADDRESSES')]
      : []),
    ...(issuer !== undefined && clientId === undefined
      ? [needs('PAYSESSION_CONSOLE_OIDC_CLIENT_ID', 'PAYSESSION_CONSOLE_OIDC_ISSUER')]
      : []),
    ...(issuer === undefined && clientId !== undefined
      ? [needs('PAYSESSION_CONSOLE_OIDC_ISSUER', 'PAYSESSION_CONSOLE_OIDC_CLIENT_ID')]
      : []),
  ];
}
