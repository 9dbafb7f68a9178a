import { html, type Html } from '../../src/web/html';
import { formatCount, type Language } from '../../src/web/language';
import { button, buttonLink, field, selectField } from '../../src/web/shell/forms';
import { disclosure, notice } from '../../src/web/shell/parts';
import { ago } from '../../src/web/shell/time';
import type { ReaderLocale } from '../access/reader';
import type { Seen } from '../reading/stale-while-revalidate';
import { textsOf } from '../texts';
import { FACET_NAMES, FACETS, type Facet, type FacetCounts } from '../reading/reading';
import { valueText } from './session-table';
import type { FilterField, ListQuery } from './session-query';

/** The counts that are ready. */
export type Counts = Partial<Readonly<Record<Facet, Seen<FacetCounts>>>>;

const MAX_SEARCH = 255;
const MAX_ACCOUNT = 100;

/** Renders the search field for sessions. */
export function searchForm({ search }: ListQuery, language: Language): Html {
  const texts = textsOf(language).sessions.search;
  return html`<form method="get" action="/sessions" role="search" class="row">
    ${field({
      name: 'q',
      label: texts.label,
      type: 'search',
      value: search,
      hint: texts.hint,
      maxLength: MAX_SEARCH,
    })}
    ${button(texts.button, 'second')}
  </form>`;
}

/** Renders the list's filters, with the count of each value. */
export function filterForm({ typed, mistakes }: ListQuery, counts: Counts, locale: ReaderLocale): Html {
  const { language, timeZone: zone } = locale;
  const { filters, facets } = textsOf(language).sessions;
  const isUsed = Object.values(typed).some((text) => text !== '');
  const form = html`<form method="get" action="/sessions">
    <div class="row">
      ${FACET_NAMES.map((facet) =>
        selectField({
          name: facet,
          label: facets[facet],
          value: typed[facet],
          options: [
            { value: '', text: filters.any },
            ...choices(facet, typed[facet]).map((value) => ({
              value,
              text: withCount(valueText(facet, value, language), counts[facet]?.value.get(value), language),
            })),
          ],
        }),
      )}
      ${field({ name: 'account', label: filters.account, value: typed.account, maxLength: MAX_ACCOUNT })}
      ${field({ name: 'customer', label: filters.customer, value: typed.customer, maxLength: MAX_ACCOUNT })}
      ${field({ name: 'after', label: filters.after(zone), value: typed.after, type: 'datetime-local' })}
      ${field({ name: 'before', label: filters.before(zone), value: typed.before, type: 'datetime-local' })}
      ${button(filters.button)} ${isUsed && buttonLink(filters.clear, '/sessions', 'plain')}
    </div>
    <p class="soft">${filters.counted} ${countedAt(counts, locale)}</p>
  </form>`;
  return isUsed || mistakes.length > 0
    ? html`<section aria-label="${filters.title}">${form}</section>`
    : disclosure(filters.title, form);
}

/** Names the filter fields that cannot be read. Empty if all can be read. */
export function mistakesNotice({ typed, mistakes }: ListQuery, { language, timeZone }: ReaderLocale): Html {
  if (mistakes.length === 0) return html``;
  const { filters, facets } = textsOf(language).sessions;
  const labels: Readonly<Record<FilterField, string>> = {
    ...facets,
    account: filters.account,
    customer: filters.customer,
    after: filters.after(timeZone),
    before: filters.before(timeZone),
  };
  const said = mistakes.map((name) => filters.mistake(labels[name], typed[name]));
  return notice('bad', filters.wrong, said.join(' '));
}

/** Renders the age of the oldest count. */
function countedAt(counts: Counts, locale: ReaderLocale): Html | undefined {
  const [oldest] = Object.values(counts)
    .map(({ at }) => at.toISOString())
    .sort();
  return oldest === undefined
    ? undefined
    : html`${textsOf(locale.language).sessions.filters.countedAt} ${ago(oldest, locale)}.`;
}

/** Returns the known values of a property. If the address has another value, adds it. */
function choices(facet: Facet, typed: string): readonly string[] {
  const known = FACETS[facet];
  return typed === '' || known.includes(typed) ? known : [...known, typed];
}

const withCount = (text: string, count: number | undefined, language: Language): string =>
  count === undefined ? text : `${text} (${formatCount(count, language)})`;
