import { sessionKind } from '../contract/kinds';
import type { PaymentSessionInput } from './input';
import { SEARCH_ATTRIBUTES } from './names';

/** A search attribute of a session, as Temporal's packages take it. */
export interface KeywordAttribute<Value extends string | null = string> {
  readonly key: { readonly name: string; readonly type: 'KEYWORD' };
  readonly value: Value;
}

export function keyword<Value extends string | null>(name: string, value: Value): KeywordAttribute<Value> {
  return { key: { name, type: 'KEYWORD' }, value };
}

/** What a valid input tells the engine's search: the kind, and the reference where the policy lets it be searched for. */
export function attributesOf({ request, policy }: PaymentSessionInput): KeywordAttribute[] {
  const { referenceId } = request;
  const isIndexed = referenceId != null && policy?.indexReference !== false;
  return [
    keyword(SEARCH_ATTRIBUTES.kind, sessionKind(request)),
    ...(isIndexed ? [keyword(SEARCH_ATTRIBUTES.reference, referenceId)] : []),
  ];
}
