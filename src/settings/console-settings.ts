import { defined } from '../contract/values/json';
import { readAll, type Environment, type SettingsReader } from './parse-settings';
import { readSecret } from './secret-files';

/** Settings of the console's login by OpenID Connect. */
export interface ConsoleOidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Absent for a public client, which has no secret and uses only PKCE. */
  readonly clientSecret?: string;
  /** The scopes to request, separated by spaces. */
  readonly scope: string;
  /**
   * The claim that names the user.
   * @default the first of `preferred_username`, `email` and `sub` that is present
   */
  readonly nameClaim?: string;
  /** The claim that lists the user's roles: the claim's name, or a path with dots, such as `realm_access.roles`. */
  readonly roleClaim: string;
  /** The time after which a login ends, in milliseconds. */
  readonly loginLastsMs: number;
}

/** Settings of the console: access to it, its users' names and roles, and its pages. */
export interface ConsoleSettings {
  /** The console's URL in browsers: scheme, host and port. */
  readonly publicUrl?: string;
  readonly roleNames: { readonly viewer: string; readonly operator: string };
  /** The login by OpenID Connect. Absent if users do not log in at the console. */
  readonly oidc?: ConsoleOidcSettings;
  /** The addresses and address ranges of the proxies in front of the console. May be empty. */
  readonly proxies: readonly string[];
  readonly userHeader: string;
  readonly roleHeader: string;
  /** The secret that encrypts logins and signs forms. If absent, the console generates a secret at startup. */
  readonly secret?: string;
  /** The merchant's time zone: a name of the IANA time zone database. */
  readonly timeZone: string;
  /** The URL of a session's page in the payment service's portal, with names in braces, such as `{sessionId}`. */
  readonly portalUrl?: string;
}

/** Reads the console's settings. Throws `SettingsError` with all failures. */
export function readConsoleSettings(env: Environment = process.env): ConsoleSettings {
  return readAll(env, (settings) => {
    settings.refuseUnknown('client');
    refuseHalves(settings);
    return {
      ...defined({
        publicUrl: settings.read('PAYSESSION_CONSOLE_PUBLIC_URL'),
        oidc: readOidc(settings),
        secret: readSecret(settings, 'PAYSESSION_CONSOLE_SECRET'),
      }),
      roleNames: readRoleNames(settings),
      proxies: settings.read('PAYSESSION_CONSOLE_PROXY_ADDRESSES') ?? [],
      userHeader: settings.read('PAYSESSION_CONSOLE_PROXY_USER_HEADER'),
      roleHeader: settings.read('PAYSESSION_CONSOLE_PROXY_ROLE_HEADER'),
      ...readPages(settings),
    };
  });
}

/** Reads only the settings that concern the pages, for a console without login. Throws `SettingsError`. */
export function readPageSettings(env: Environment = process.env): ReturnType<typeof readPages> {
  return readAll(env, readPages);
}

function readPages(settings: SettingsReader): Pick<ConsoleSettings, 'timeZone' | 'portalUrl'> {
  return defined({
    timeZone: settings.read('PAYSESSION_CONSOLE_TIME_ZONE'),
    portalUrl: settings.read('PAYSESSION_CONSOLE_PORTAL_URL'),
  });
}

function readOidc(settings: SettingsReader): ConsoleOidcSettings | undefined {
  const issuer = settings.read('PAYSESSION_CONSOLE_OIDC_ISSUER');
  const rest = defined({
    clientId: settings.read('PAYSESSION_CONSOLE_OIDC_CLIENT_ID') ?? '',
    clientSecret: readSecret(settings, 'PAYSESSION_CONSOLE_OIDC_CLIENT_SECRET'),
    scope: settings.read('PAYSESSION_CONSOLE_OIDC_SCOPE'),
    nameClaim: settings.read('PAYSESSION_CONSOLE_NAME_CLAIM'),
    roleClaim: settings.read('PAYSESSION_CONSOLE_ROLE_CLAIM'),
    loginLastsMs: settings.read('PAYSESSION_CONSOLE_LOGIN_LASTS'),
  });
  return issuer === undefined ? undefined : { issuer, ...rest };
}

/** Pairs of settings, without the prefix `PAYSESSION_CONSOLE_`. The first of a pair needs the second. */
const NEEDS = [
  ['OIDC_ISSUER', 'PUBLIC_URL'],
  ['PROXY_ADDRESSES', 'PUBLIC_URL'],
  ['OIDC_ISSUER', 'OIDC_CLIENT_ID'],
  ['OIDC_CLIENT_ID', 'OIDC_ISSUER'],
] as const;

/**
 * Refuses settings of the access that are incomplete. Incomplete settings could let in other people than intended.
 */
function refuseHalves(settings: SettingsReader): void {
  for (const [name, needed] of NEEDS)
    if (settings.isSet(`PAYSESSION_CONSOLE_${name}`) && !settings.isSet(`PAYSESSION_CONSOLE_${needed}`))
      settings.fail(`PAYSESSION_CONSOLE_${needed}`, `is missing: PAYSESSION_CONSOLE_${name} needs it`);
}

/** Reads the names of the two roles. Refuses equal names, because then every viewer could act. */
function readRoleNames(settings: SettingsReader): ConsoleSettings['roleNames'] {
  const viewer = settings.read('PAYSESSION_CONSOLE_VIEWER_ROLE');
  const operator = settings.read('PAYSESSION_CONSOLE_OPERATOR_ROLE');
  if (viewer === operator)
    settings.fail(
      'PAYSESSION_CONSOLE_VIEWER_ROLE',
      'must differ from PAYSESSION_CONSOLE_OPERATOR_ROLE: with one value for both, every viewer could act',
    );
  return { viewer, operator };
}
