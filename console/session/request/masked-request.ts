import { requestValues } from './personal-fields';

/** Stands for every personal value, however long it is. */
export const MASK = '••••••';

/**
 * A reference as whoever may look sees it: in plain text if the engine's index has it so, for everybody, as the session's own.
 * @param indexed the session's reference in the index; `undefined` where the merchant keeps it out of there
 */
export const shownReference = (reference: string, indexed: string | undefined): string =>
  reference === indexed ? reference : MASK;

/** A line of a request, as a page shows it. */
export interface ShownValue {
  readonly path: string;
  readonly text: string;
  readonly isMasked: boolean;
}

/**
 * A request without its personal values, and without the names of fields that the contract does not have.
 * @param indexedReference the reference as the engine's index has it, in plain text for everybody; `undefined` where the
 * merchant keeps it out of there
 */
export function maskedRequest(request: unknown, indexedReference: string | undefined): readonly ShownValue[] {
  return requestValues(request).map(({ path, value, isPersonal }) => {
    const isReference = path === 'referenceId' && typeof value === 'string';
    const isMasked = isPersonal && !(isReference && shownReference(value, indexedReference) === value);
    return { path: path ?? MASK, text: isMasked ? MASK : textOf(value), isMasked };
  });
}

/** A request as it is, for the one answer to an operator who gave a reason. */
export function revealedRequest(request: unknown): readonly ShownValue[] {
  return requestValues(request).map(({ ownPath, value }) => ({
    path: ownPath,
    text: textOf(value),
    isMasked: false,
  }));
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : JSON.stringify(value);
}
