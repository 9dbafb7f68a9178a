import type { FastifyInstance } from 'fastify';
import { textCondition } from '../../src/protocol/temporal/query-text';
import { soon, type SessionSummary } from '../../src/sessions';
import { html, type Html } from '../../src/web/html';
import { formatCount } from '../../src/web/language';
import { buttonLink } from '../../src/web/shell/forms';
import { emptyState, pager } from '../../src/web/shell/parts';
import type { Live } from '../reading/live';
import { type Reading, FACET_NAMES } from '../reading/reading';
import { BULK_ACTS, bulkPath, queryOf } from '../http/paths';
import { sendConsolePage } from '../page';
import { readerOf, type Reader } from '../access/reader';
import { textsOf } from '../texts';
import { filterForm, mistakesNotice, searchForm, type Counts } from './session-filters';
import { sessionTable } from './session-table';
import { addressOf, eventsOf, listQuery, queryText, type ListQuery } from './session-query';

const PAGE_SIZE = 50;

/** The time that the list waits for counts. If they take longer, a later read shows them. */
const COUNTS_WITHIN_MS = 100;

/** Adds the list of sessions, and its changes. */
export function sessionsRoutes(app: FastifyInstance, reading: Reading, live: Live): void {
  app.get('/sessions', async (request, reply) => {
    const reader = readerOf(request);
    const query = listQuery(queryOf(request), reader.timeZone);
    const [content, counts] = await Promise.all([
      query.search === '' ? liveList(reading, query, reader) : found(reading, query, reader),
      countsOf(reading),
    ]);
    if (query.mistakes.length > 0) reply.code(400);
    return sendConsolePage(request, reply, {
      title: textsOf(reader.language).sessions.title,
      place: 'sessions',
      content: html`${searchForm(query, reader.language)} ${mistakesNotice(query, reader)}
      ${filterForm(query, counts, reader)} ${content}`,
    });
  });

  app.get('/events/sessions', (request, reply) => {
    const reader = readerOf(request);
    const query = listQuery(queryOf(request), reader.timeZone);
    return live.send(request, reply, `${reader.language} ${reader.operator.role} ${eventsOf(query)}`, {
      render: () => list(reading, query, reader),
      reach: () => reading.reach(),
    });
  });
}

async function liveList(reading: Reading, query: ListQuery, reader: Reader): Promise<Html> {
  return html`<div data-live="${eventsOf(query)}">${await list(reading, query, reader)}</div>`;
}

/** Renders a page of the filtered sessions, for the list and for its live changes. */
async function list(reading: Reading, query: ListQuery, reader: Reader): Promise<Html> {
  const { filter, after } = query;
  const { language } = reader;
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
  return html`${newest} ${bulkLinks(query, reader)} ${await tableOf(reading, sessions, reader)}
  ${pager({
    language,
    next: next && addressOf(query, next),
    ...(position !== undefined && { position }),
  })}`;
}

async function found(reading: Reading, { search }: ListQuery, reader: Reader): Promise<Html> {
  const texts = textsOf(reader.language).sessions;
  const sessions = await reading.search(search);
  const all = html`<p><a href="/sessions">${texts.search.all}</a></p>`;
  if (sessions.length === 0) {
    const { heading, body, oddSigns } = texts.nothingFound;
    return html`${emptyState(heading, textCondition('', search) === undefined ? `${body} ${oddSigns}` : body)}
    ${all}`;
  }
  return html`<h2>${texts.search.found(search)}</h2>
    ${await tableOf(reading, sessions, reader)} ${all}`;
}

/** Renders links to the actions on all sessions of the list. A list without a filter has no such links. */
function bulkLinks(query: ListQuery, { operator, language }: Reader): Html | false {
  if (operator.role !== 'operator' || Object.keys(query.filter).length === 0) return false;
  const { offer, acts } = textsOf(language).bulk;
  return html`<p class="row">
    <span class="soft">${offer}</span>
    ${BULK_ACTS.map((act) => buttonLink(acts[act].name, bulkPath(act, queryText(query)), 'plain'))}
  </p>`;
}

const tableOf = async (
  reading: Reading,
  sessions: readonly SessionSummary[],
  reader: Reader,
): Promise<Html> => sessionTable(sessions, reader, { payments: await reading.paymentsOf(sessions) });

async function countsOf(reading: Reading): Promise<Counts> {
  const counted = await Promise.all(
    FACET_NAMES.map(async (facet) => [facet, await soon(reading.countsOf(facet), COUNTS_WITHIN_MS)] as const),
  );
  return Object.fromEntries(counted.filter(([, seen]) => seen !== undefined));
}
