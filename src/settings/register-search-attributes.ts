import { setTimeout as sleep } from 'node:timers/promises';
import type { OperatorService } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { PaysessionError } from '../errors';
import { GRPC, grpcAnswerOf } from '../protocol/temporal/grpc';
import { SEARCH_ATTRIBUTES } from '../protocol/temporal/search-attributes';

/** The search attributes that a namespace should have. */
export interface WantedAttributes {
  readonly namespace: string;
  /** The names of the search attributes. @default the search attributes of payment sessions */
  readonly names?: readonly string[];
}

/** The search attributes that a namespace lacks, or has with a wrong type. Such a namespace cannot run sessions. */
export interface AttributeFaults {
  readonly missing: readonly string[];
  readonly mistyped: readonly MistypedAttribute[];
}

/** A search attribute that the namespace has with a wrong type, so that no session can write it. */
export interface MistypedAttribute {
  readonly name: string;
  /** The attribute's wrong type, as Temporal's command line names it. */
  readonly type: string;
}

type Temporal = { readonly operatorService: OperatorService };

/**
 * The maximum number of reads after a registration, and the pause between two reads. Another node of the server may learn of the
 * registration late.
 */
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
 * Returns the search attributes that the namespace lacks, and those that it has with a wrong type. Temporal's time-skipping test server
 * cannot list search attributes. For that server, returns no faults, because the code that starts it registers the attributes.
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

/** Registers search attributes. Throws the server's error. If an attribute already has another type, the server reports no error. */
export async function addAttributes(
  { operatorService }: Temporal,
  { namespace, names = OF_SESSIONS }: WantedAttributes,
): Promise<void> {
  const searchAttributes = Object.fromEntries(names.map((name) => [name, typeOf(name)]));
  await operatorService.addSearchAttributes({ namespace, searchAttributes });
}

/**
 * Registers the search attributes that the namespace lacks, and reads them back. Throws `PaysessionError` `SEARCH_ATTRIBUTES_MISSING`
 * if some are still missing: the namespace does not allow the registration, or does not list them yet. Throws `PaysessionError`
 * `SEARCH_ATTRIBUTES_MISTYPED` if an attribute has a wrong type.
 */
export async function ensureAttributes(server: Temporal, wanted: WantedAttributes): Promise<void> {
  const names = await missingAttributes(server, wanted);
  if (names.length === 0) return;
  let refusal: unknown;
  try {
    await addAttributes(server, { ...wanted, names });
  } catch (error) {
    // The error is reported only if attributes are still missing. Another worker may have added them meanwhile.
    refusal = error;
  }
  // The attributes are read back, because the server silently accepts a name that was just registered with another
  // type.
  for (let reads = refusal === undefined ? READS : 1; ; reads -= 1) {
    const left = await missingAttributes(server, wanted);
    if (left.length === 0) return;
    if (reads === 1) throw notAdded(left, wanted, refusal);
    await sleep(BETWEEN_READS_MS);
  }
}

/** Returns the names of the search attributes that the namespace lacks. Throws `PaysessionError` if an attribute has a wrong type. */
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

/** Describes search attributes of a wrong type, such as "PaymentSessionStatus (Text, not Keyword)". */
export function describeMistyped(mistyped: readonly MistypedAttribute[]): string {
  return mistyped.map(({ name, type }) => `${name} (${type}, not ${attributeType(name)})`).join(', ');
}

/**
 * Returns the commands that replace search attributes of a wrong type by attributes of the right type. After these commands, searches
 * do not find old values.
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

/** Returns the short name of a type, such as `KeywordList` for `INDEXED_VALUE_TYPE_KEYWORD_LIST`. */
function nameOfType(type: temporal.api.enums.v1.IndexedValueType): string {
  const [name = 'UNKNOWN'] = Object.entries(IndexedValueType).find(([, value]) => value === type) ?? [];
  const words = name.replace('INDEXED_VALUE_TYPE_', '').toLowerCase();
  return words.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
