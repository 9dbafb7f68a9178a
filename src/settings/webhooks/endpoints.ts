import { z } from 'zod';
import { OPS_KINDS, WEBHOOK_KINDS, type OpsKind, type WebhookKind } from '../../protocol/webhooks';
import { defined } from '../../contract/values/json';
import { readAll, type Environment, type SettingsReader } from '../parse-settings';
import { readSecret, readJsonFile } from '../secret-files';
import { fileText } from '../setting-values';
import { isWebhookUrl, isPlain, URL_RULE } from './address';
import { isSecret, SECRET_RULE } from './secret';

/** An endpoint of webhooks. */
export interface WebhookEndpoint {
  /** The endpoint's name in commands, metrics and logs. */
  readonly name: string;
  /** The endpoint's URL: https, or http to this machine if loopback addresses are allowed. */
  readonly url: string;
  /** Secrets of the form `whsec_` and 24 to 64 bytes in base64. Each signs every message: one secret, or two during a rotation. */
  readonly secrets: readonly string[];
  /** Only webhooks of these accounts. @default all */
  readonly accounts?: readonly string[] | undefined;
  /** Only these kinds of webhooks. @default all but those for operators (`ops.…`) */
  readonly kinds?: readonly (WebhookKind | OpsKind)[] | undefined;
  /**
   * True if messages contain personal data: the request, all metadata, the names and reasons of deciders, and the details of anomalies.
   * @default false
   */
  readonly personalData?: boolean | undefined;
}

/** The endpoints of webhooks, and whether they may be on this machine. */
export interface WebhookSettings {
  readonly endpoints: readonly WebhookEndpoint[];
  /** True if http and addresses of this machine are allowed, for development. */
  readonly allowsLoopback: boolean;
}

/** The sources of the endpoints: the variables of a single endpoint, the file, both or none. */
export interface WebhookSources {
  /** The endpoint of `PAYSESSION_WEBHOOK_URL` and its secret. */
  readonly single?: WebhookEndpoint;
  /** Path of the file of endpoints. */
  readonly file?: string;
  readonly allowsLoopback: boolean;
}

/** The name of the endpoint that the variables define. */
const SINGLE = 'default';

/** Reads the sources of the endpoints, but not the file itself. */
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
 * Returns the endpoints, with those of the file, if any; `undefined` if there is no endpoint. The endpoint of the variables replaces
 * the file's endpoint `default`. Throws `PaysessionError` `INVALID_FILE`.
 */
export function loadWebhooks({ single, file, allowsLoopback }: WebhookSources): WebhookSettings | undefined {
  const own = single === undefined ? [] : [single];
  const ofFile = file === undefined ? [] : readEndpointsFile(file, allowsLoopback);
  const endpoints = [...ofFile.filter(({ name }) => name !== single?.name), ...own];
  return endpoints.length === 0 ? undefined : { endpoints, allowsLoopback };
}

/**
 * Reads the endpoints of webhooks; `undefined` if there are none. Throws `SettingsError`, and `PaysessionError` `INVALID_FILE` for
 * the file.
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
