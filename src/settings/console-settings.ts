import {
  parseSettings,
  refuseFailures,
  unknownSettings,
  type Environment,
  type SettingName,
  type SettingValues,
} from './parse-settings';
import { parseSecret } from './secret-files';

/** Settings of the console's login by OpenID Connect. */
export interface ConsoleOidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Absent for a public client, whose only proof is PKCE. */
  readonly clientSecret?: string;
  /** The scopes to ask for, separated by spaces. */
  readonly scope: string;
  /** The claim that names the user. @default the first one present of `preferred_username`, `email` and `sub` */
  readonly nameClaim?: string;
  /** The claim that lists the user's roles: its name, or the path to it with dots, such as `realm_access.roles`. */
  readonly roleClaim: string;
  /** The time after which a login ends, in milliseconds. */
  readonly loginLastsMs: number;
}

/** Settings of access to the console, and of its users' names and roles. */
export interface ConsoleSettings {
  /** Scheme, host and port of the console in browsers. */
  readonly publicUrl?: string;
  readonly roleNames: { readonly viewer: string; readonly operator: string };
  /** The login; if absent, people don't log in. */
  readonly oidc?: ConsoleOidcSettings;
  /** Addresses and ranges of the proxies in front of the console; may be empty. */
  readonly proxies: readonly string[];
  readonly userHeader: string;
  readonly roleHeader: string;
  /** The console's secret; if absent, the console makes one. */
  readonly secret?: string;
  /** The merchant's time zone: a name of the IANA time zone database. */
  readonly timeZone: string;
  /** A session's page in the payment service's portal: a URL with names in braces. */
  readonly portalUrl?: string;
}

const READ = [
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
  'PAYSESSION_CONSOLE_TIME_ZONE',
  'PAYSESSION_CONSOLE_PORTAL_URL',
] as const satisfies readonly SettingName[];

type ConsoleValues = SettingValues<(typeof READ)[number]>;

/** Reads the console's settings. Throws `SettingsError` with all failures at once. */
export function readConsoleSettings(env: Environment = process.env): ConsoleSettings {
  const { value, failures } = parseSettings(env, READ);
  const clientSecret = parseSecret(
    env,
    'PAYSESSION_CONSOLE_OIDC_CLIENT_SECRET',
    'PAYSESSION_CONSOLE_OIDC_CLIENT_SECRET_FILE',
  );
  const secret = parseSecret(env, 'PAYSESSION_CONSOLE_SECRET', 'PAYSESSION_CONSOLE_SECRET_FILE');
  refuseFailures([
    ...unknownSettings(env, 'client'),
    ...failures,
    ...clientSecret.failures,
    ...secret.failures,
    ...missing(value),
    ...sameRoles(value),
  ]);
  const {
    PAYSESSION_CONSOLE_PUBLIC_URL: publicUrl,
    PAYSESSION_CONSOLE_OIDC_ISSUER: issuer,
    PAYSESSION_CONSOLE_OIDC_CLIENT_ID: clientId = '',
    PAYSESSION_CONSOLE_NAME_CLAIM: nameClaim,
    PAYSESSION_CONSOLE_PORTAL_URL: portalUrl,
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
    timeZone: value.PAYSESSION_CONSOLE_TIME_ZONE,
    ...(portalUrl !== undefined && { portalUrl }),
  };
}

/** Reads only the settings of the pages, for a console without login. Throws `SettingsError`. */
export function readPageSettings(
  env: Environment = process.env,
): Pick<ConsoleSettings, 'timeZone' | 'portalUrl'> {
  const { value, failures } = parseSettings(env, [
    'PAYSESSION_CONSOLE_TIME_ZONE',
    'PAYSESSION_CONSOLE_PORTAL_URL',
  ]);
  refuseFailures(failures);
  const { PAYSESSION_CONSOLE_TIME_ZONE: timeZone, PAYSESSION_CONSOLE_PORTAL_URL: portalUrl } = value;
  return { timeZone, ...(portalUrl !== undefined && { portalUrl }) };
}

/** Returns failures for access that is only configured in part: it would let other people in than intended. */
function missing(value: ConsoleValues) {
  const {
    PAYSESSION_CONSOLE_PUBLIC_URL: publicUrl,
    PAYSESSION_CONSOLE_OIDC_ISSUER: issuer,
    PAYSESSION_CONSOLE_OIDC_CLIENT_ID: clientId,
    PAYSESSION_CONSOLE_PROXY_ADDRESSES: proxies,
  } = value;
  const rules = [
    [publicUrl === undefined && issuer !== undefined, 'PUBLIC_URL', 'OIDC_ISSUER'],
    [
      publicUrl === undefined && issuer === undefined && proxies !== undefined,
      'PUBLIC_URL',
      'PROXY_ADDRESSES',
    ],
    [issuer !== undefined && clientId === undefined, 'OIDC_CLIENT_ID', 'OIDC_ISSUER'],
    [issuer === undefined && clientId !== undefined, 'OIDC_ISSUER', 'OIDC_CLIENT_ID'],
  ] as const;
  return rules.flatMap(([isMissing, name, other]) => {
    const message = `is missing: it goes with PAYSESSION_CONSOLE_${other}`;
    return isMissing ? [{ path: `PAYSESSION_CONSOLE_${name}`, message }] : [];
  });
}

/** Refuses one value for both roles: every viewer could act. */
function sameRoles(value: Partial<ConsoleValues>) {
  const { PAYSESSION_CONSOLE_VIEWER_ROLE: viewer, PAYSESSION_CONSOLE_OPERATOR_ROLE: operator } = value;
  if (viewer === undefined || viewer !== operator) return [];
  return [
    {
      path: 'PAYSESSION_CONSOLE_VIEWER_ROLE',
      message:
        'must differ from PAYSESSION_CONSOLE_OPERATOR_ROLE: with one value for both, every viewer could act',
    },
  ];
}
