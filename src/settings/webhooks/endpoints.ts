import { z } from 'zod';
import { OPS_KINDS, WEBHOOK_KINDS, type OpsKind, type WebhookKind } from '../../protocol/webhooks';
import { defined } from '../../contract/values/json';
import { readAll, type Environment, type SettingsReader } from '../parse-settings';
import { readSecret, readJsonFile } from '../secret-files';
import { fileText } from '../setting-values';
import { isWebhookUrl, isPlain, URL_RULE } from './address';
import { isSecret, SECRET_RULE } from './secret';

/** An endpoint to which webhooks are sent. */
export interface WebhookEndpoint {
  /** The endpoint's name in commands, metrics and logs. */
  readonly name: string;
  /** The endpoint's https URL. If loopback addresses are allowed, it may also be an http URL of this machine. */
  readonly url: string;
  /**
   * One secret, or two during a rotation. Each secret signs every message. A secret is `whsec_`, followed by 24 to 64 bytes in base64.
   */
  readonly secrets: readonly string[];
  /** Sends only webhooks of these accounts. @default all accounts */
  readonly accounts?: readonly string[] | undefined;
  /** Sends only these kinds of messages. @default all kinds, except messages for operators (`ops.…`) */
  readonly kinds?: readonly (WebhookKind | OpsKind)[] | undefined;
  /**
   * True if messages contain personal data: the request, all metadata, the names and reasons in decisions, and the details of
   * anomalies.
   * @default false
   */
  readonly personalData?: boolean | undefined;
}

/** The endpoints to which webhooks are sent. */
export interface WebhookSettings {
  readonly endpoints: readonly WebhookEndpoint[];
  /** True if endpoints on this machine are allowed, also with http, for development. */
  readonly allowsLoopback: boolean;
}

/** The sources of the endpoints: environment variables for a single endpoint, a file, both or none. */
export interface WebhookSources {
  /** The endpoint that `PAYSESSION_WEBHOOK_URL` and its secret define. */
  readonly single?: WebhookEndpoint;
  /** The path of the file of endpoints. */
  readonly file?: string;
  readonly allowsLoopback: boolean;
}

/** The name of the endpoint that the environment variables define. */
const SINGLE = 'default';

/** Reads the sources of the endpoints. Does not read the file itself. */
export function readWebhookSources(settings: SettingsReader): WebhookSources {
  const url = settings.read('PAYSESSION_WEBHOOK_URL');
  const file = settings.read('PAYSESSION_WEBHOOK_FILE');
  const allowsLoopback = settings.read('PAYSESSION_WEBHOOK_LOOPBACK') ?? false;
  const secret = readSecret(settings, 'PAYSESSION_WEBHOOK_SECRET');
  if (url !== undefined && !isWebhookUrl(url, allowsLoopback))
    settings.fail('PAYSESSION_WEBHOOK_URL', URL_RULE);
  settings.requireTogether(
    ['PAYSESSION_WEBHOOK_URL', 'PAYSESSION_WEBHOOK_SECRET'],
    'is missing: an endpoint needs a URL and a secret',
  );
  const single =
    url === undefined || secret === undefined ? undefined : { name: SINGLE, url, secrets: [secret] };
  return defined({ single, file, allowsLoopback });
}

/**
 * Returns all endpoints; `undefined` if there are none. Reads the file, if there is one. If the environment variables define an
 * endpoint, it replaces the file's endpoint `default`. Throws `PaysessionError` `INVALID_FILE`.
 */
export function loadWebhooks({ single, file, allowsLoopback }: WebhookSources): WebhookSettings | undefined {
  const own = single === undefined ? [] : [single];
  const ofFile = file === undefined ? [] : readEndpointsFile(file, allowsLoopback);
  const endpoints = [...ofFile.filter(({ name }) => name !== single?.name), ...own];
  return endpoints.length === 0 ? undefined : { endpoints, allowsLoopback };
}

/**
 * Reads the endpoints to which webhooks are sent. Returns `undefined` if there are none. Throws `SettingsError`. Throws
 * `PaysessionError` `INVALID_FILE` if the file cannot be used.
 */
export function readWebhooks(env: Environment = process.env): WebhookSettings | undefined {
  return loadWebhooks(
    readAll(env, (settings) => {
      settings.refuseUnknown('client');
      return readWebhookSources(settings);
    }),
  );
}

const MOST_ENDPOINTS = 50;

const endpointName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,62}$/,
    'must be 1 to 63 lower-case letters, digits, dots, hyphens or underscores',
  );

const KINDS = [...WEBHOOK_KINDS, ...OPS_KINDS] as const;
const kind = z.enum(KINDS, { error: `must be one of ${KINDS.join(', ')}` });

const some = (what: string) => ({ error: `must name at least one ${what}, or be left out` });

const fileSchema = (allowsLoopback: boolean) =>
  z.strictObject({
    endpoints: z
      .record(
        endpointName,
        z
          .strictObject({
            url: fileText.refine((url) => isWebhookUrl(url, allowsLoopback), { error: URL_RULE }),
            secrets: z
              .array(fileText.refine(isSecret, { error: SECRET_RULE }))
              .min(1, 'must hold a secret')
              .max(2, 'must hold one secret, or two during a rotation'),
            accounts: z.array(z.string()).min(1, some('account')).optional(),
            kinds: z.array(kind).min(1, some('kind of webhook')).optional(),
            personalData: z.boolean({ error: 'must be true or false' }).optional(),
          })
          .refine(({ personalData, url }) => personalData !== true || !isPlain(url), {
            path: ['personalData'],
            error: 'needs https',
          }),
      )
      .refine((endpoints) => Object.keys(endpoints).length > 0, { error: 'must name at least one endpoint' })
      .refine((endpoints) => Object.keys(endpoints).length <= MOST_ENDPOINTS, {
        error: `must name at most ${MOST_ENDPOINTS} endpoints`,
      }),
  });

function readEndpointsFile(path: string, allowsLoopback: boolean): readonly WebhookEndpoint[] {
  const file = { what: 'file of webhook endpoints', setting: 'PAYSESSION_WEBHOOK_FILE', path };
  const { endpoints } = readJsonFile(file, fileSchema(allowsLoopback), 'endpoints');
  return Object.entries(endpoints).map(([name, endpoint]) => ({ name, ...endpoint }));
}
