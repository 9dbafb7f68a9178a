import { InvalidArgumentError, type Command, type Option } from 'commander';
import { isDay, readTime } from '../../src/contract/values/day';
import { toMilliseconds } from '../../src/protocol/duration';
import { textFailures } from '../../src/protocol/input';
import { CUSTOMER, metadataFailures, soughtFailures, type Metadata } from '../../src/protocol/metadata';

/** Functions that parse the values of options. If a value is invalid, they throw an error that says what is valid. */

/** Returns a function that parses a whole number from `minimum` to `maximum`. */
export function wholeNumber(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : NaN;
    if (value >= minimum && value <= maximum) return value;
    throw new InvalidArgumentError(`must be a whole number from ${minimum} to ${maximum}.`);
  };
}

/** Returns a function that accepts a text of 1 to `maxLength` characters. */
export function textUpTo(maxLength: number): (text: string) => string {
  return (text) => {
    const [failure] = textFailures('', text, maxLength);
    if (failure === undefined) return text;
    throw new InvalidArgumentError(`${failure.message}.`);
  };
}

const LONGEST_MS = 365 * 86_400_000;

/** Parses a duration such as `90s` or `15m`, from a millisecond to 365 days. Returns milliseconds. */
export function duration(text: string): number {
  const milliseconds = toMilliseconds(text) ?? 0;
  if (milliseconds >= 1 && milliseconds <= LONGEST_MS) return milliseconds;
  throw new InvalidArgumentError('must be a duration from 1ms to 365d, such as 500ms, 90s, 15m or 24h.');
}

/** Parses a time that {@link time} takes. Refuses a time in the future, after which there is nothing to find. */
export function pastTime(text: string): Date {
  const past = time(text);
  if (past.getTime() <= Date.now()) return past;
  throw new InvalidArgumentError('must not be in the future. Check the time, and this machine’s clock.');
}

/** Parses a time: a day, a time in ISO 8601 with a time zone, or a duration that is counted back from now. */
export function time(text: string): Date {
  const agoMs = toMilliseconds(text);
  const parsed = agoMs === undefined ? readTime(text) : new Date(Date.now() - agoMs);
  if (parsed !== undefined) return parsed;
  throw new InvalidArgumentError(
    'must be a time such as 2026-05-06 or 2026-05-06T14:00:00Z, or an age such as 90m or 7d.',
  );
}

/** Parses a day. Returns its first moment in UTC. */
export function day(text: string): Date {
  if (isDay(text)) return new Date(`${text}T00:00:00.000Z`);
  throw new InvalidArgumentError('must be a day such as 2026-05-06.');
}

/** Parses an amount in dollars, with or without cents. */
export function dollars(text: string): number {
  if (/^\d{1,14}([.]\d{1,2})?$/.test(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError('must be an amount in dollars such as 25 or 1250.50.');
}

/** Parses `name=value`, and adds it to the metadata. If the option is repeated, `before` has the earlier pairs. */
export function metadataPair(text: string, before: Metadata = {}): Metadata {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('must be a name and a value, such as customer=cus_42.');
  const metadata = { ...before, [text.slice(0, at)]: text.slice(at + 1) };
  const [failure] = metadataFailures(metadata);
  if (failure === undefined) return metadata;
  throw new InvalidArgumentError(`${failure.path} ${failure.message}.`);
}

/** The options that limit a list to sessions with certain metadata. */
export interface MetadataOptions {
  readonly customer?: string;
  readonly metadata?: Metadata;
}

/** Adds the options that limit a list to sessions with certain metadata. */
export const withMetadataOptions = (command: Command): Command =>
  command
    .option('--customer <id>', 'only this customer: the same as --metadata customer=<id>')
    .option(
      '--metadata <name=value>',
      'only sessions with this metadata, which their policy must make searchable; may be repeated',
      metadataPair,
    );

/** Returns the metadata to search for. Returns `undefined` if the options name none. */
export function soughtMetadata({ customer, metadata }: MetadataOptions): Metadata | undefined {
  if (customer === undefined && metadata === undefined) return undefined;
  if ((customer ?? metadata?.[CUSTOMER]) !== (metadata?.[CUSTOMER] ?? customer))
    throw new InvalidArgumentError(`--customer and --metadata ${CUSTOMER}=… name two customers: give one.`);
  const sought = { ...metadata, ...(customer !== undefined && { [CUSTOMER]: customer }) };
  const [failure] = soughtFailures(sought);
  if (failure === undefined) return sought;
  throw new InvalidArgumentError(`No list finds it: ${failure.path} ${failure.message}.`);
}

/** Parses an http or https URL without query and fragment. Returns the URL without slashes at its end. */
export function webUrl(text: string): string {
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  if (['http:', 'https:'].includes(protocol) && !/[?#]/.test(text)) return text.replace(/\/+$/, '');
  throw new InvalidArgumentError('must be an http or https URL, such as https://pay.example.');
}

/** The default ports of `dev`. */
export const DEV_PORTS = {
  temporal: 7233,
  ui: 8233,
  sandbox: 4010,
  shop: 4020,
  console: 4030,
  control: 4040,
} as const;

/** The default data folder of `dev`, `listen` and `trigger`. */
export const DATA_FOLDER = '.paysession';

/** The address to listen on. It is the loopback address, so only programs on this machine can connect. */
export const LISTEN_HOST = '127.0.0.1';

/** Parses a port. If it is 0, the system chooses a free port. */
export const parsePort = wholeNumber(0, 65_535);

const SUGGESTIONS = new WeakMap<Option, readonly string[]>();

/** Makes the shell suggest values for an option. The option still accepts other values, unlike with commander's `choices`. */
export function suggesting(option: Option, values: readonly string[]): Option {
  SUGGESTIONS.set(option, values);
  return option;
}

/** Returns the values that the shell suggests for an option. */
export const suggestionsOf = (option: Option): readonly string[] => SUGGESTIONS.get(option) ?? [];
