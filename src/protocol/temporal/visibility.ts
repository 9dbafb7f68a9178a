/**
 * The facts about a session that Temporal's search, lists and UI show: search attributes, memo, summary and details. They contain
 * the caller's key, reference and searchable metadata, and no other personal data. A text of the service is shown only if it looks
 * like a status or code. The memo is encrypted like the request.
 */
import type { SessionRequest } from '../../contract/session-request';
import { sessionKind } from '../../contract/statuses';
import type { PaymentSessionInput } from '../input';
import { claimedMetadata, metadataWords, searchablePart } from '../metadata';
import { ASKED_AMOUNT, ASKED_DIRECTION, DEFAULT_ACCOUNT, UNREADABLE } from '../names';
import { problemsOf, remedyOf, type ProblematicState } from '../state/problems';
import type { SessionPhase } from '../state/recorded';
import type { SessionState } from '../state/session';
import { SEARCH_ATTRIBUTES } from './search-attributes';

/** A search attribute of a session, in the form that Temporal's packages take. The value `null` removes the attribute. */
export type SessionAttribute<Nothing extends null = never> =
  | { readonly key: { readonly name: string; readonly type: 'KEYWORD' }; readonly value: string | Nothing }
  | {
      readonly key: { readonly name: string; readonly type: 'KEYWORD_LIST' };
      readonly value: string[] | Nothing;
    }
  | { readonly key: { readonly name: string; readonly type: 'INT' }; readonly value: number | Nothing };

export function keyword<Value extends string | null>(name: string, value: Value) {
  return { key: { name, type: 'KEYWORD' as const }, value };
}

export function keywordList<Value extends string[] | null>(name: string, value: Value) {
  return { key: { name, type: 'KEYWORD_LIST' as const }, value };
}

export function integer<Value extends number | null>(name: string, value: Value) {
  return { key: { name, type: 'INT' as const }, value };
}

/**
 * Returns the search attributes that stay the same for the whole session. The value is `null` for a reference or metadata that are
 * absent or not searchable.
 */
export function inputAttributes(input: PaymentSessionInput): SessionAttribute<null>[] {
  const { request, account } = input;
  const words = metadataWords(searchablePart(claimedMetadata(input)));
  return [
    keyword(SEARCH_ATTRIBUTES.kind, sessionKind(request)),
    keyword(SEARCH_ATTRIBUTES.account, account ?? DEFAULT_ACCOUNT),
    keyword(SEARCH_ATTRIBUTES.reference, indexable(openReference(input))),
    keywordList(SEARCH_ATTRIBUTES.metadata, words.length === 0 ? null : words),
  ];
}

/** Returns a reference for Temporal's index. A NUL cannot be indexed: PostgreSQL would refuse the whole row of the session. */
const indexable = (reference: string | undefined): string | null =>
  reference === undefined || reference.includes('\0') ? null : reference;

/**
 * Returns the reference if the policy makes it searchable. Only then do Temporal and the ledger store the reference in plain text.
 */
export function openReference({ request, policy }: PaymentSessionInput): string | undefined {
  return policy?.indexReference === false ? undefined : (request.referenceId ?? undefined);
}

/** Returns the search attributes that are known when a session is started. */
export function startAttributes(input: PaymentSessionInput): SessionAttribute[] {
  const known = inputAttributes(input).filter((one): one is SessionAttribute => one.value !== null);
  return [...known, keyword(SEARCH_ATTRIBUTES.phase, 'creating' satisfies SessionPhase)];
}

/**
 * Returns a status or code as search attributes show it. A text that does not look like a status or code, such as a person's full
 * name, becomes `unreadable`.
 */
export function searchable(text: string): string {
  return /^[A-Za-z0-9]{1,32}$/.test(text) ? text : UNREADABLE;
}

/** Applies `searchable` to a status and a code, and leaves out unknown ones. */
export const searchableWords = (...words: readonly (string | undefined)[]): readonly string[] =>
  words.flatMap((word) => (word === undefined ? [] : [searchable(word)]));

/** Returns the static summary of a session's workflow, such as `EFT DEBIT 25 CAD`. */
export function startSummary(request: SessionRequest): string {
  const { direction, amount } = request;
  return [sessionKind(request), direction, amount, 'CAD'].filter((part) => part != null).join(' ');
}

/**
 * Returns the memo fields about a session's request: the direction, and the amount if the request has one. The memo is encrypted
 * like the request.
 */
export function startMemo({ amount, direction }: SessionRequest): Readonly<Record<string, string>> {
  return { [ASKED_DIRECTION]: direction, ...(amount != null && { [ASKED_AMOUNT]: String(amount) }) };
}

/** The part of a session's state that the current details show. */
type SummarizedState = ProblematicState & Pick<SessionState, 'status' | 'code'>;

/**
 * Returns the "current details" of a session for Temporal's UI, in Markdown: the status and phase, the next step for each problem,
 * and the last failed call.
 */
export function currentDetails(key: string, state: SummarizedState): string {
  const { phase, status, code, trouble } = state;
  const seen = searchableWords(status, code);
  const head = [...seen, ...(phase === 'ended' && seen.length > 0 ? [] : [`(${phase})`])].join(' ');
  const problems = problemsOf(state).map((problem) => `- ${problem}: ${remedyOf(problem, key)}`);
  const next = trouble?.until === undefined ? '' : `, next call at ${trouble.until}`;
  const last = trouble === undefined ? [] : [`- last call: ${trouble.code}${next}`];
  return [head, ...problems, ...last].join('\n');
}
