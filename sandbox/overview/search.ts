import { SESSION_STATUSES } from '../../src/contract';
import { html, type Html } from '../../src/web/html';
import { button, field, selectField } from '../../src/web/shell/forms';
import type { SandboxSession } from '../sessions/session';

/** A search on the page. Both fields are empty if the user has not searched. */
export interface Search {
  readonly text: string;
  readonly status: string;
}

const LONGEST_SEARCH = 200;

/** Reads the search from a page's query. Ignores a parameter that is repeated or too long. */
export function readSearch(query: unknown): Search {
  const asked = query as Readonly<Record<string, unknown>>;
  const only = (value: unknown) =>
    typeof value === 'string' && value.length <= LONGEST_SEARCH ? value.trim() : '';
  return { text: only(asked['q']), status: only(asked['status']) };
}

/** True if one of the texts contains the searched text, regardless of capitals. */
export function containsSearched({ text }: Search, texts: readonly (string | null)[]): boolean {
  const wanted = text.toLowerCase();
  return texts.some((each) => (each ?? '').toLowerCase().includes(wanted));
}

/** True if a session has the searched status, and its id, reference or code contains the searched text. */
export function isFound(search: Search, { sessionId, referenceId, state }: SandboxSession): boolean {
  if (search.status !== '' && state.status !== search.status) return false;
  return containsSearched(search, [sessionId, referenceId, state.code ?? '']);
}

/** Returns the form of a search among sessions. */
export const sessionSearch = ({ text, status }: Search): Html =>
  html`<form method="get" action="./" role="search" aria-label="Sessions">
    <div class="row">
      ${field({ name: 'q', label: 'Reference, session or code', type: 'search', value: text, maxLength: LONGEST_SEARCH })}
      ${selectField({
        name: 'status',
        label: 'Status',
        value: status,
        options: [
          { value: '', text: 'Any' },
          ...SESSION_STATUSES.map((each) => ({ value: each, text: each })),
        ],
      })}
      ${button('Search', 'second')}
    </div>
  </form>`;

/** Returns the form of a search among mails. */
export const mailSearch = ({ text }: Search): Html =>
  html`<form method="get" action="outbox" role="search" aria-label="Mails">
    <div class="row">
      ${field({ name: 'q', label: 'Session, address or subject', type: 'search', value: text, maxLength: LONGEST_SEARCH })}
      ${button('Search', 'second')}
    </div>
  </form>`;
