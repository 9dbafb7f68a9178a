import { setTimeout as sleep } from 'node:timers/promises';
import type { OperatorService } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { PaysessionError } from '../errors';
import { GRPC, grpcAnswerOf } from '../protocol/temporal/grpc';
import { SEARCH_ATTRIBUTES } from '../protocol/temporal/search-attributes';

/** Search attributes and their namespace. */
export interface WantedAttributes {
  readonly namespace: string;
  /** @default those of payment sessions */
  readonly names?: readonly string[];
}

/** Search attributes that are missing or have another type, so that the namespace cannot run sessions. */
export interface AttributeFaults {
  readonly missing: readonly string[];
  readonly mistyped: readonly MistypedAttribute[];
}

/** A search attribute that the namespace has with a type that no session can write. */
export interface MistypedAttribute {
  readonly name: string;
  /** The type that it has, as Temporal's command line names it. */
  readonly type: string;
}

type Temporal = { readonly operatorService: OperatorService };

/** The maximum number of reads after a registration, and the pause between them: another node of the server may lag behind. */
const READS = 10;
const BETWEEN_READS_MS = 500;
const { IndexedValueType } = temporal.api.enums.v1;
const TYPES = {
  Keyword: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  KeywordList: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD_LIST,
  Int: IndexedValueType.INDEXED_VALUE_TYPE_INT,
};
const OF_SESSIONS = Object.values(SEARCH_ATTRIBUTES);

/** Returns the type of a search attribute, as Temporal's command line names it. */
export function attributeType(name: string): keyof typeof TYPES {
  if (name === SEARCH_ATTRIBUTES.problem || name === SEARCH_ATTRIBUTES.metadata) return 'KeywordList';
  return name === SEARCH_ATTRIBUTES.changeDelay ? 'Int' : 'Keyword';
}

const typeOf = (name: string) => TYPES[attributeType(name)];

/**
 * Returns the search attributes that the namespace lacks, and those that it has with another type. Temporal's time-skipping test
 * server cannot list them and counts as faultless: the code that starts it registers them.
 */
export async function attributeFaults(
  { operatorService }: Temporal,
  { namespace, names = OF_SESSIONS }: WantedAttributes,
): Promise<AttributeFaults> {
  try {
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
    const known = new Map(Object.entries(customAttributes));
    const mistyped = names.flatMap((name) => {
      const type = known.get(name);
      return type === undefined || type === typeOf(name) ? [] : [{ name, type: nameOfType(type) }];
    });
    return { missing: names.filter((name) => !known.has(name)), mistyped };
  } catch (error) {
    if (grpcAnswerOf(error)?.code === GRPC.UNIMPLEMENTED) return { missing: [], mistyped: [] };
    throw error;
  }
}

/** Registers search attributes. Throws the server's error. The server reports no error if an attribute already has another type. */
export async function addAttributes(
  { operatorService }: Temporal,
  { namespace, names = OF_SESSIONS }: WantedAttributes,
): Promise<void> {
  const searchAttributes = Object.fromEntries(names.map((name) => [name, typeOf(name)]));
  await operatorService.addSearchAttributes({ namespace, searchAttributes });
}

/**
 * Registers the search attributes that the namespace lacks, and reads them back. Throws `PaysessionError`
 * `SEARCH_ATTRIBUTES_MISSING` if some are still missing, because the namespace does not permit their registration or does not list them
 * yet, and `SEARCH_ATTRIBUTES_MISTYPED` if one has another type.
 */
export async function ensureAttributes(server: Temporal, wanted: WantedAttributes): Promise<void> {
  const names = await missingAttributes(server, wanted);
  if (names.length === 0) return;
  let refusal: unknown;
  try {
    await addAttributes(server, { ...wanted, names });
  } catch (error) {
    // Another worker may have added the attributes meanwhile.
    refusal = error;
  }
  // The attributes are read back: a server silently accepts a name that was just registered with another type.
  for (let reads = refusal === undefined ? READS : 1; ; reads -= 1) {
    const left = await missingAttributes(server, wanted);
    if (left.length === 0) return;
    if (reads === 1) throw notAdded(left, wanted, refusal);
    await sleep(BETWEEN_READS_MS);
  }
}

/** Returns the names that the namespace lacks. Throws `PaysessionError` if it has one with another type. */
async function missingAttributes(server: Temporal, wanted: WantedAttributes): Promise<readonly string[]> {
  const { missing, mistyped } = await attributeFaults(server, wanted);
  if (mistyped.length === 0) return missing;
  const { namespace } = wanted;
  throw new PaysessionError(
    'SEARCH_ATTRIBUTES_MISTYPED',
    `The namespace "${namespace}" has search attributes of the wrong type: ${describeMistyped(mistyped)}. No session can set them. Unless another program needs them as they are, run:\n  ${mendingCommands(namespace, mistyped).join('\n  ')}`,
  );
}

function notAdded(
  names: readonly string[],
  { namespace }: WantedAttributes,
  cause: unknown,
): PaysessionError {
  const commands = names.map((name) => createCommand(namespace, name)).join('\n  ');
  const happened =
    cause === undefined
      ? 'has accepted search attributes, but does not list them yet. Start again in a minute. If they are still missing, run:'
      : 'lacks search attributes, and does not allow the worker to add them. Run:';
  return new PaysessionError(
    'SEARCH_ATTRIBUTES_MISSING',
    `The namespace "${namespace}" ${happened}\n  ${commands}`,
    { cause },
  );
}

/** Returns text such as "PaymentSessionStatus (Text, not Keyword)". */
export function describeMistyped(mistyped: readonly MistypedAttribute[]): string {
  return mistyped.map(({ name, type }) => `${name} (${type}, not ${attributeType(name)})`).join(', ');
}

/**
 * Returns the commands that give search attributes the type that sessions write. After them, searches do not find the values of the
 * old attributes.
 */
export function mendingCommands(
  namespace: string,
  mistyped: readonly MistypedAttribute[],
): readonly string[] {
  return mistyped.flatMap(({ name }) => [
    `temporal operator search-attribute remove --namespace ${namespace} --name ${name} --yes`,
    createCommand(namespace, name),
  ]);
}

/** Returns the command that registers a missing search attribute. */
export const createCommand = (namespace: string, name: string): string =>
  `temporal operator search-attribute create --namespace ${namespace} --name ${name} --type ${attributeType(name)}`;

/** Returns the name that people know: `KeywordList` for `INDEXED_VALUE_TYPE_KEYWORD_LIST`. */
function nameOfType(type: temporal.api.enums.v1.IndexedValueType): string {
  const [name = 'UNKNOWN'] = Object.entries(IndexedValueType).find(([, value]) => value === type) ?? [];
  const words = name.replace('INDEXED_VALUE_TYPE_', '').toLowerCase();
  return words.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
