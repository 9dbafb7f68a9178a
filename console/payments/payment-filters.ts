import { DIRECTIONS, MONEY_PLACES } from '../../ledger/sessions/summary';
import { html, type Html } from '../../src/web/html';
import { button, buttonLink, field, hidden, selectField } from '../../src/web/shell/forms';
import { disclosure, notice } from '../../src/web/shell/parts';
import type { Reader } from '../access/reader';
import { textsOf } from '../texts';
import { SESSION_KINDS } from '../../src/contract/statuses';
import { FILTER_FIELDS, LATE, WAITING, type PaymentQuery } from './payment-query';

const MAX_SEARCH = 255;
const MAX_ACCOUNT = 100;
/**
 * The maximum lengths of longer fields. The length for metadata is that of the longest name, an equals sign and the longest searchable
 * value.
 */
const MAX_TEXTS: Readonly<Record<string, number>> = { metadata: 141 };

/** The fields of the filters' form. A search keeps their values. */
const NARROWING = [...FILTER_FIELDS, 'sort'] as const;

/** Renders the search field for payments. */
export function searchForm({ typed }: PaymentQuery, { language }: Reader): Html {
  const { sessions, payments } = textsOf(language);
  const { label, hint } = payments.search;
  return html`<form method="get" action="/payments" role="search" class="row">
    ${field({ name: 'q', label, type: 'search', value: typed.q, hint, maxLength: MAX_SEARCH })}
    ${NARROWING.filter((name) => typed[name] !== '').map((name) => hidden(name, typed[name]))}
    ${button(sessions.search.button, 'second')}
  </form>`;
}

/** Renders the list's filters and its order. */
export function filterForm({ typed, mistakes }: PaymentQuery, { language, timeZone }: Reader): Html {
  const { filters, directions, money, waiting, late, sorts } = textsOf(language).payments;
  // The order is not a filter, because the heading of a column also sorts.
  const isUsed = FILTER_FIELDS.some((name) => typed[name] !== '');
  const text = (name: 'account' | 'amountFrom' | 'amountTo' | 'customer' | 'metadata') =>
    field({ name, label: filters[name], value: typed[name], maxLength: MAX_TEXTS[name] ?? MAX_ACCOUNT });
  const day = (name: 'from' | 'to' | 'endedFrom' | 'endedTo') =>
    field({ name, label: filters[name], value: typed[name], type: 'date' });
  const choice = (
    name: 'money' | 'direction' | 'kind' | 'sort',
    options: readonly { readonly value: string; readonly text: string }[],
  ) => selectField({ name, label: filters[name], value: typed[name], options });
  const any = { value: '', text: filters.any };
  const form = html`<form method="get" action="/payments">
    ${typed.q !== '' && hidden('q', typed.q)}
    <div class="row">
      ${choice('money', [any, ...MONEY_PLACES.map((value) => ({ value, text: money[value] })), { value: WAITING, text: waiting }, { value: LATE, text: late }])}
      ${choice('direction', [any, ...DIRECTIONS.map((value) => ({ value, text: directions[value] }))])}
      ${choice('kind', [any, ...SESSION_KINDS.map((value) => ({ value, text: value }))])} ${text('account')}
      ${text('customer')} ${text('metadata')} ${text('amountFrom')} ${text('amountTo')} ${day('from')}
      ${day('to')} ${day('endedFrom')} ${day('endedTo')}
      ${choice(
        'sort',
        Object.entries(sorts).map(([value, name]) => ({
          value: value === '-claimed' ? '' : value,
          text: name,
        })),
      )}
      ${button(filters.button)} ${isUsed && buttonLink(filters.clear, '/payments', 'plain')}
    </div>
    <p class="soft">${filters.days(timeZone)}</p>
  </form>`;
  return isUsed || mistakes.length > 0
    ? html`<section aria-label="${filters.title}">${form}</section>`
    : disclosure(filters.title, form);
}

/** Names the filter fields that cannot be read. Empty if all can be read. */
export function mistakesNotice({ typed, mistakes }: PaymentQuery, { language }: Reader): Html {
  if (mistakes.length === 0) return html``;
  const { filters } = textsOf(language).payments;
  const said = mistakes.map((name) => filters.mistake(filters[name], typed[name]));
  return notice('bad', filters.wrong, said.join(' '));
}
