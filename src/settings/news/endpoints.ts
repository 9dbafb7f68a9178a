import { z } from 'zod';
import { NEWS_KINDS, type NewsKind } from '../../protocol/news';
import { parseSettings, refuseFailures, type Environment, type Parsed } from '../parse-settings';
import { parseSecret, readJsonFile } from '../secret-files';
import { fileText } from '../setting-values';
import { isNewsUrl, isPlain, URL_RULE } from './address';
import { isSecret, SECRET_RULE } from './secret';

/** Where news is sent. */
export interface NewsEndpoint {
  /** Names it in commands, metrics and logs. */
  readonly name: string;
  /** https, or http to this machine where loopback addresses are allowed. */
  readonly url: string;
  /** `whsec_` and 24 to 64 bytes in base64. Messages are signed with each: two during a rotation. */
  readonly secrets: readonly string[];
  /** Only news of these accounts. @default all */
  readonly accounts?: readonly string[] | undefined;
  /** Only these kinds of news. @default all */
  readonly kinds?: readonly NewsKind[] | undefined;
  /** Whether messages hold personal data: the request, who decided, what anomalies quote. @default false */
  readonly personalData?: boolean | undefined;
}

/** Where news goes, and whether that may be this machine. */
export interface NewsSettings {
  readonly endpoints: readonly NewsEndpoint[];
  /** For development: http, and addresses of this machine. */
  readonly allowsLoopback: boolean;
}

/** Where the endpoints come from: the two variables, the file, or both. */
interface NewsSources {
  readonly single?: NewsEndpoint;
  readonly file?: string;
  readonly allowsLoopback: boolean;
}

/** The endpoint of the two variables. */
const SINGLE = 'default';

/** Reads where the endpoints come from, but not the file itself. */
export function parseNewsSources(env: Environment): Parsed<NewsSources> {
  const { value, failures } = parseSettings(env, [
    'PAYSESSION_NEWS_URL',
    'PAYSESSION_NEWS_FILE',
    'PAYSESSION_NEWS_LOOPBACK',
  ]);
  const secret = parseSecret(env, 'PAYSESSION_NEWS_SECRET', 'PAYSESSION_NEWS_SECRET_FILE');
  const { PAYSESSION_NEWS_URL: url, PAYSESSION_NEWS_FILE: file } = value;
  const allowsLoopback = value.PAYSESSION_NEWS_LOOPBACK ?? false;
  const all = [...failures, ...secret.failures];
  if (url !== undefined && !isNewsUrl(url, allowsLoopback))
    all.push({ path: 'PAYSESSION_NEWS_URL', message: URL_RULE });
  if (all.length === 0 && (url === undefined) !== (secret.value === undefined)) {
    const path = url === undefined ? 'PAYSESSION_NEWS_URL' : 'PAYSESSION_NEWS_SECRET';
    all.push({ path, message: 'is missing: an endpoint needs a URL and a secret' });
  }
  return {
    value: {
      allowsLoopback,
      ...(url !== undefined &&
        secret.value !== undefined && { single: { name: SINGLE, url, secrets: [secret.value] } }),
      ...(file !== undefined && { file }),
    },
    failures: all,
  };
}

/** Reads the file, if any; `undefined` where there is no endpoint. Throws `PaysessionError` `INVALID_FILE`. */
export function loadNews({ single, file, allowsLoopback }: NewsSources): NewsSettings | undefined {
  const own = single === undefined ? [] : [single];
  const ofFile = file === undefined ? [] : readEndpointsFile(file, allowsLoopback);
  const endpoints = [...ofFile.filter(({ name }) => name !== single?.name), ...own];
  return endpoints.length === 0 ? undefined : { endpoints, allowsLoopback };
}

/** Reads where news goes, if anywhere. Throws `SettingsError`, and `PaysessionError` `INVALID_FILE` for the file. */
export function readNews(env: Environment = process.env): NewsSettings | undefined {
  const { value, failures } = parseNewsSources(env);
  refuseFailures(failures);
  return loadNews(value);
}

const MOST_ENDPOINTS = 50;

const endpointName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,62}$/,
    'must be 1 to 63 lower-case letters, digits, dots, hyphens or underscores',
  );

const kind = z.enum(NEWS_KINDS, { error: `must be one of ${NEWS_KINDS.join(', ')}` });

const some = (what: string) => ({ error: `must name at least one ${what}, or be left out` });

const fileSchema = (allowsLoopback: boolean) =>
  z.strictObject({
    endpoints: z
      .record(
        endpointName,
        z
          .strictObject({
            url: fileText.refine((url) => isNewsUrl(url, allowsLoopback), { error: URL_RULE }),
            secrets: z
              .array(fileText.refine(isSecret, { error: SECRET_RULE }))
              .min(1, 'must hold a secret')
              .max(2, 'must hold one secret, or two during a rotation'),
            accounts: z.array(z.string()).min(1, some('account')).optional(),
            kinds: z.array(kind).min(1, some('kind of news')).optional(),
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

function readEndpointsFile(path: string, allowsLoopback: boolean): readonly NewsEndpoint[] {
  const file = { what: 'file of news endpoints', setting: 'PAYSESSION_NEWS_FILE', path };
  const { endpoints } = readJsonFile(file, fileSchema(allowsLoopback), 'endpoints');
  return Object.entries(endpoints).map(([name, endpoint]) => ({ name, ...endpoint }));
}
