import { isGrpcServiceError, type OperatorService } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { SEARCH_ATTRIBUTES } from '../protocol/names';

/** Which attributes of which namespace; each attribute is a Keyword. */
export interface WantedAttributes {
  readonly namespace: string;
  /** @default those of payment sessions */
  readonly names?: readonly string[];
}

type Temporal = { readonly operatorService: OperatorService };

/** gRPC's status code of a call that the server does not have. */
const UNIMPLEMENTED = '12';
const { INDEXED_VALUE_TYPE_KEYWORD } = temporal.api.enums.v1.IndexedValueType;
const OF_SESSIONS = Object.values(SEARCH_ATTRIBUTES);

/**
 * The search attributes that the namespace lacks. Temporal's time-skipping test server cannot tell: whoever starts it
 * registers them.
 */
export async function missingAttributes(
  { operatorService }: Temporal,
  { namespace, names = OF_SESSIONS }: WantedAttributes,
): Promise<string[]> {
  try {
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
    return names.filter((name) => !Object.hasOwn(customAttributes, name));
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
  const searchAttributes = Object.fromEntries(names.map((name) => [name, INDEXED_VALUE_TYPE_KEYWORD]));
  await operatorService.addSearchAttributes({ namespace, searchAttributes });
}
