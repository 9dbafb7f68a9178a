import {
  addressRanges,
  consoleSecret,
  headerName,
  issuerUrl,
  loginLasts,
  oidcScope,
  publicUrl,
  roleName,
  portalUrl,
  timeZone,
} from '../console/console-values';
import { text } from '../setting-values';
import type { Setting } from './setting';

/** How people log in to the console, and what they may do there. */
export const CONSOLE_SETTINGS = [
  {
    name: 'PAYSESSION_CONSOLE_PUBLIC_URL',
    subject: 'Console',
    meaning:
      'The URL that browsers know the console by, such as https://payments.example: scheme, host and port. It must be https, except on this machine.',
    secret: false,
    schema: publicUrl,
  },
  {
    name: 'PAYSESSION_CONSOLE_OIDC_ISSUER',
    subject: 'Console',
    meaning:
      'The identity provider that people log in at, by OpenID Connect: its issuer. It must be https, except on this machine. The provider redirects to the public URL with `/login/callback`.',
    secret: false,
    schema: issuerUrl,
  },
  {
    name: 'PAYSESSION_CONSOLE_OIDC_CLIENT_ID',
    subject: 'Console',
    meaning: 'The console’s client id at this provider.',
    secret: false,
    schema: text,
  },
  {
    name: 'PAYSESSION_CONSOLE_OIDC_CLIENT_SECRET',
    subject: 'Console',
    meaning:
      'The console’s client secret at this provider. If unset, it is a public client, whose only proof is PKCE.',
    secret: true,
    schema: text,
  },
  {
    name: 'PAYSESSION_CONSOLE_OIDC_CLIENT_SECRET_FILE',
    subject: 'Console',
    meaning: 'File with that secret instead, such as a mounted secret.',
    secret: false,
    isSecretFile: true,
    schema: text,
  },
  {
    name: 'PAYSESSION_CONSOLE_OIDC_SCOPE',
    subject: 'Console',
    meaning: 'The scopes that the console asks for, with spaces.',
    default: 'openid profile email',
    secret: false,
    schema: oidcScope,
  },
  {
    name: 'PAYSESSION_CONSOLE_NAME_CLAIM',
    subject: 'Console',
    meaning:
      'The claim of the id token that names a person in logs and in the record. If unset: `preferred_username`, `email` or `sub`, the first that is there.',
    secret: false,
    schema: text,
  },
  {
    name: 'PAYSESSION_CONSOLE_ROLE_CLAIM',
    subject: 'Console',
    meaning:
      'The claim of the id token that lists a person’s roles: its name, or the way to it with dots, such as `realm_access.roles`.',
    default: 'roles',
    secret: false,
    schema: text,
  },
  {
    name: 'PAYSESSION_CONSOLE_VIEWER_ROLE',
    subject: 'Console',
    meaning: 'The role that may view.',
    default: 'paysession-viewer',
    secret: false,
    schema: roleName,
  },
  {
    name: 'PAYSESSION_CONSOLE_OPERATOR_ROLE',
    subject: 'Console',
    meaning: 'The role that may view and act.',
    default: 'paysession-operator',
    secret: false,
    schema: roleName,
  },
  {
    name: 'PAYSESSION_CONSOLE_PROXY_ADDRESSES',
    subject: 'Console',
    meaning:
      'The proxies in front of the console: IP addresses, and ranges such as 10.0.0.0/8, with commas. Without an OpenID Connect issuer, they say who asks.',
    secret: false,
    schema: addressRanges,
  },
  {
    name: 'PAYSESSION_CONSOLE_PROXY_USER_HEADER',
    subject: 'Console',
    meaning: 'The header in which such a proxy names the person. It must replace what others send.',
    default: 'X-Forwarded-User',
    secret: false,
    schema: headerName,
  },
  {
    name: 'PAYSESSION_CONSOLE_PROXY_ROLE_HEADER',
    subject: 'Console',
    meaning: 'The header in which it lists the person’s roles, with commas.',
    default: 'X-Forwarded-Groups',
    secret: false,
    schema: headerName,
  },
  {
    name: 'PAYSESSION_CONSOLE_SECRET',
    subject: 'Console',
    meaning:
      'The secret that encrypts logins and signs forms, at least 32 characters; the same for all consoles behind the public URL. If unset, it is generated at startup, and logins end with the process.',
    secret: true,
    schema: consoleSecret,
  },
  {
    name: 'PAYSESSION_CONSOLE_SECRET_FILE',
    subject: 'Console',
    meaning: 'File with that secret instead, such as a mounted secret.',
    secret: false,
    isSecretFile: true,
    schema: text,
  },
  {
    name: 'PAYSESSION_CONSOLE_LOGIN_LASTS',
    subject: 'Console',
    meaning: 'How long a login lasts.',
    default: '8h',
    secret: false,
    schema: loginLasts,
  },
  {
    name: 'PAYSESSION_CONSOLE_TIME_ZONE',
    subject: 'Console',
    meaning:
      'The merchant’s time zone, such as America/Toronto: the console tells times, days and the totals of days by it.',
    default: 'UTC',
    secret: false,
    schema: timeZone,
  },
  {
    name: 'PAYSESSION_CONSOLE_PORTAL_URL',
    subject: 'Console',
    meaning:
      'A session’s page in the payment service’s own portal, such as https://portal.example/sessions/{sessionId}: {sessionId}, {referenceId}, {key} and {account} are filled in. If unset, the console has no link to it.',
    secret: false,
    schema: portalUrl,
  },
] as const satisfies readonly Setting[];
