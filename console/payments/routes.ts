import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { isPaysessionError } from '../../src/errors';
import { soon } from '../../src/sessions';
import type { PaymentFilter } from '../../ledger';
import type { PaymentTotals } from '../../ledger/sessions/ledger-payments';
import { exportedLine, headOf } from '../../ledger/sessions/exported-line';
import { html, type Html } from '../../src/web/html';
import { formatCount, formatMoney } from '../../src/web/language';
import { buttonLink } from '../../src/web/shell/forms';
import { emptyState, notice, pager } from '../../src/web/shell/parts';
import type { Payments } from '../options';
import type { Live } from '../reading/live';
import { COUNTS } from '../reading/reading';
import { StaleWhileRevalidate, type Seen } from '../reading/stale-while-revalidate';
import { explainedCode, sendConsolePage } from '../page';
import { readerOf, type Reader, note } from '../access/reader';
import { paymentFor } from '../session/checkout';
import { textsOf } from '../texts';
import { queryOf } from '../http/paths';
import { payorRoutes, type PayorContext } from './payor-search';
import { filterForm, mistakesNotice, searchForm } from './payment-filters';
import {
  addressOf,
  addressOfCsv,
  addressOfEvents,
  addressOfNext,
  addressOfPayor,
  filterOf,
  paymentQuery,
  type PaymentQuery,
} from './payment-query';
import { paymentTable } from './payment-table';

const PAGE_SIZE = 50;

/** The time that the list waits for its sums. If they take longer, a later read of the list shows them. */
const TOTALS_WITHIN_MS = 100;

interface PaymentsContext extends PayorContext {
  readonly live: Live;
}

/** Adds the list of payments, its changes, the list as CSV, and the search by a payor's name. */
export function paymentsRoutes(app: FastifyInstance, { options, ledger, live }: PaymentsContext): void {
  const { payments } = ledger;
  payorRoutes(app, { options, ledger });
  const cachedTotals = new StaleWhileRevalidate<PaymentTotals>(COUNTS);
  // Each sum keeps one of PostgreSQL's processors busy. Lists need processors, too, so only one sum runs at a time.
  const inTurn = oneAtATime();
  const totals: ListSources['totals'] = (filter) =>
    cachedTotals.get(JSON.stringify(filter), () => inTurn(() => payments.totals(filter)));
  const asked = (url: URLSearchParams, reader: Reader) => paymentQuery(url, reader.timeZone);

  app.get('/payments', async (request, reply) => {
    const reader = readerOf(request);
    const query = asked(queryOf(request), reader);
    const list = await listOf({ payments, totals }, query, reader);
    if (query.mistakes.length > 0) reply.code(400);
    return sendConsolePage(request, reply, {
      title: titleOf(query, reader),
      place: 'payments',
      content: html`${searchForm(query, reader)} ${mistakesNotice(query, reader)} ${filterForm(query, reader)}
        <div data-live="${addressOfEvents(query)}">${list}</div>`,
    });
  });

  app.get('/events/payments', (request, reply) => {
    const reader = readerOf(request);
    const query = asked(queryOf(request), reader);
    return live.send(request, reply, `${reader.language} ${reader.operator.role} ${addressOfEvents(query)}`, {
      render: () => orUnavailable(() => listOf({ payments, totals }, query, reader), reader),
      // The list reads only the ledger. It works without Temporal and without a worker.
      reach: () => Promise.resolve('back'),
    });
  });

  app.get('/payments.csv', async (request, reply) => {
    const reader = readerOf(request);
    const query = asked(queryOf(request), reader);
    // The list's page then says which fields cannot be read.
    if (query.mistakes.length > 0) return reply.redirect(addressOf(query), 303);
    const lines = Readable.from(csvOf(payments, query, reader.operator));
    // An error before the first line must be answered with a page, not with a file.
    await once(lines, 'readable');
    note(options, request, { act: 'export', result: 'started', filter: filterOf(query) });
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="payments.csv"')
      .send(lines);
  });
}

/** Returns the list's title. If the list has the payments of one customer, the title names the customer. */
function titleOf({ typed, mistakes }: PaymentQuery, { language }: Reader): string {
  const { title, titleOfCustomer } = textsOf(language).payments;
  return typed.customer === '' || mistakes.length > 0 ? title : titleOfCustomer(typed.customer);
}

/**
 * The number of characters up to which lines are collected before they are sent. Without this, each line would be an HTTP chunk of its own.
 */
const CHUNK_LENGTH = 16_384;

async function* csvOf(
  payments: Payments,
  { filter, order }: PaymentQuery,
  operator: Reader['operator'],
): AsyncGenerator<string> {
  let text = headOf('csv');
  for await (const payment of payments.all(filter, order)) {
    text += exportedLine(paymentFor(operator, payment), 'csv');
    if (text.length < CHUNK_LENGTH) continue;
    yield text;
    text = '';
  }
  yield text;
}

interface ListSources {
  readonly payments: Payments;
  /** Sums up payments. The result may be up to five minutes old. */
  readonly totals: (filter: PaymentFilter) => Promise<Seen<PaymentTotals>>;
}

/** Renders a page of the matching payments, and their totals. */
async function listOf({ payments, totals }: ListSources, query: PaymentQuery, reader: Reader): Promise<Html> {
  const { filter, order, after } = query;
  const { language } = reader;
  const texts = textsOf(language).payments;
  const [page, sums] = await Promise.all([
    payments.page(filter, { size: PAGE_SIZE, order, after }),
    soon(totals(filter), TOTALS_WITHIN_MS),
  ]);
  if (page.payments.length === 0 && after === undefined) {
    const { heading, body } = Object.keys(filter).length === 0 ? texts.noneAtAll : texts.none;
    return emptyState(heading, body);
  }
  return html`<p class="row">
      <span>${sums === undefined ? texts.totals.counting : totalsText(sums.value, reader)}</span>
      ${buttonLink(texts.csv, addressOfCsv(query), 'plain')}
      ${reader.operator.role === 'operator' && buttonLink(texts.payor.link, addressOfPayor(query), 'plain')}
    </p>
    ${after && html`<p><a href="${addressOf(query)}">${texts.first}</a></p>`}
    ${paymentTable(page.payments, reader, query)}
    ${pager({ language, next: page.next && addressOfNext(query, page.next) })}`;
}

function totalsText({ count, sums }: PaymentTotals, { language }: Reader): Html {
  const { totals: texts, directions } = textsOf(language).payments;
  // If no money goes to payors, the sums need no word for the direction.
  const isDirected = sums.some(({ direction }) => direction === 'CREDIT');
  const known = sums.reduce((total, sum) => total + sum.count, 0);
  return html`<strong>${texts.count(formatCount(count, language))}</strong> ${sums.map(
      ({ direction, amount, returned }) =>
        html`${isDirected && directions[direction]}
          <strong class="nowrap">${formatMoney(Number(amount), language)}</strong>
          ${returned.count > 0 && `${texts.returned(formatMoney(Number(returned.amount), language))} `}`,
    )}
    ${known < count && texts.known(formatCount(known, language))}`;
}

/** Replaces the list with a notice if the ledger cannot be read. */
async function orUnavailable(read: () => Promise<Html>, { language }: Reader): Promise<Html> {
  try {
    return await read();
  } catch (error) {
    if (!isPaysessionError(error)) throw error;
    const { heading, body } = textsOf(language).payments.away;
    const words = html`<p>${explainedCode(error.code, language)}</p>
      <p>${body}</p>`;
    return notice('bad', heading, words);
  }
}

/** Runs tasks one after the other, in their order. A task that fails does not stop the next ones. */
function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
}
