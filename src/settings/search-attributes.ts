import { isGrpcServiceError, type OperatorService } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { SEARCH_ATTRIBUTES } from '../protocol/names';

/** Which attributes of which namespace. */
export interface WantedAttributes {
  readonly namespace: string;
  /** @default those of payment sessions */
  readonly names?: readonly string[];
}

type Temporal = { readonly operatorService: OperatorService };

/** gRPC's status code of a call that the server does not have. */
const UNIMPLEMENTED = '12';
const { IndexedValueType } = temporal.api.enums.v1;
const TYPES = {
  Keyword: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  KeywordList: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD_LIST,
  Int: IndexedValueType.INDEXED_VALUE_TYPE_INT,
};
const OF_SESSIONS = Object.values(SEARCH_ATTRIBUTES);

/** The type of a search attribute, as Temporal's command line names it. */
export function attributeType(name: string): keyof typeof TYPES {
  if (name === SEARCH_ATTRIBUTES.problem) return 'KeywordList';
  return name === SEARCH_ATTRIBUTES.newsDelay ? 'Int' : 'Keyword';
}

const typeOf = (name: string) => TYPES[attributeType(name)];

/**
 * The search attributes that the namespace lacks, or has with another type. Temporal's time-skipping test server cannot tell: whoever starts it
 * registers them.
 */
export async function missingAttributes(
  { operatorService }: Temporal,
  { namespace, names = OF_SESSIONS }: WantedAttributes,
): Promise<string[]> {
  try {
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
    return names.filter((name) => customAttributes[name] !== typeOf(name));
  } catch (error) {
    if (isGrpcServiceError(error) && String(error.code) === UNIMPLEMENTED) return [];
    throw error;
  }
}

/** Registers search attributes; throws what the server answers, also where the namespace has one of them. */
export async function addAttributes(
  { operatorService }: Temporal,
  { namespace, names = OF_SESSIONS }: WantedAttributes,
): Promise<void> {
  const searchAttributes = Object.fromEntries(names.map((name) => [name, typeOf(name)]));
  await operatorService.addSearchAttributes({ namespace, searchAttributes });
}
