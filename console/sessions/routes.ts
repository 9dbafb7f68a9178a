import type { FastifyInstance } from 'fastify';
import { soon } from '../../src/sessions';
import { html, type Html } from '../../web/html';
import type { Language } from '../../web/language';
import { emptyState } from '../../web/shell/parts';
import { pager } from './pager';
import { FACET_NAMES } from '../reading/facets';
import type { Live } from '../reading/live';
import type { Reading } from '../reading/reading';
import { sendConsolePage } from '../server/page';
import { queryOf } from '../http/query';
import { readerOf } from '../server/reader';
import { filterForm, formatCount, mistakesNotice, searchForm, type Counts } from './filters';
import { sessionTable } from './list';
import { addressOf, eventsOf, listQuery, type ListQuery } from './query';
import { textsOf } from '../texts';

const PAGE_SIZE = 50;

/** Counts that take longer come with the next look: the list does not wait for them. */
const COUNTS_WITHIN_MS = 100;

/** The list of sessions, and its changes. */
export function sessionsRoutes(
  app: FastifyInstance,
  { reading, live }: { readonly reading: Reading; readonly live: Live },
): void {
  app.get('/sessions', async (request, reply) => {
    const { language } = readerOf(request);
    const query = listQuery(queryOf(request));
    const [content, counts] = await Promise.all([
      query.search === '' ? liveList(reading, query, language) : found(reading, query, language),
      countsOf(reading),
    ]);
    if (query.mistakes.length > 0) reply.code(400);
    return sendConsolePage(request, reply, {
      title: textsOf(language).sessions.title,
      place: 'sessions',
      content: html`${searchForm(query, language)} ${mistakesNotice(query, language)}
      ${filterForm(query, counts, language)} ${content}`,
    });
  });

  app.get('/events/sessions', (request, reply) => {
    const { language } = readerOf(request);
    const query = listQuery(queryOf(request));
    return live.send(request, reply, `${language} ${eventsOf(query)}`, {
      render: () => list(reading, query, language),
      reach: () => reading.reach(),
    });
  });
}

async function liveList(reading: Reading, query: ListQuery, language: Language): Promise<Html> {
  return html`<div data-live="${eventsOf(query)}">${await list(reading, query, language)}</div>`;
}

/** A page of the sessions that the filter lets through; what changes of it is sent as it does. */
async function list(reading: Reading, query: ListQuery, language: Language): Promise<Html> {
  const { filter, after } = query;
  const texts = textsOf(language).sessions;
  const [{ sessions, next }, total] = await Promise.all([
    reading.page(filter, { size: PAGE_SIZE, after }),
    soon(reading.count(filter), COUNTS_WITHIN_MS),
  ]);
  if (sessions.length === 0 && after === undefined) {
    const { heading, body } = Object.keys(filter).length === 0 ? texts.noneAtAll : texts.none;
    return emptyState(heading, body);
  }
  const newest = after && html`<p><a href="${addressOf(query)}">${texts.newest}</a></p>`;
  const position = total && texts.matching(formatCount(total.value, language));
  return html`${newest} ${sessionTable(sessions, language)}
  ${pager({
    language,
    next: next && addressOf(query, next),
    ...(position !== undefined && { position }),
  })}`;
}

async function found(reading: Reading, { search }: ListQuery, language: Language): Promise<Html> {
  const texts = textsOf(language).sessions;
  const sessions = await reading.search(search);
  const all = html`<p><a href="/sessions">${texts.search.all}</a></p>`;
  if (sessions.length === 0) {
    const { heading, body, oddSigns } = texts.nothingFound;
    return html`${emptyState(heading, /^['"\\]/.test(search) ? `${body} ${oddSigns}` : body)} ${all}`;
  }
  return html`<h2>${texts.search.found(search)}</h2>
    ${sessionTable(sessions, language)} ${all}`;
}

async function countsOf(reading: Reading): Promise<Counts> {
  const counted = await Promise.all(
    FACET_NAMES.map(async (facet) => {
      const seen = await soon(reading.countsOf(facet), COUNTS_WITHIN_MS);
      return [facet, seen] as const;
    }),
  );
  return Object.fromEntries(counted.filter(([, seen]) => seen !== undefined));
}
