import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { faultOfSession, isPaysessionError, type ErrorCode } from '../../src/errors';
import { claimsOf } from '../../src/protocol/ledger/fold';
import type { LedgerSession } from '../../ledger';
import { readForm } from '../../src/web/bodies';
import { html, type Html } from '../../src/web/html';
import { formatCount } from '../../src/web/language';
import { button, field, hidden } from '../../src/web/shell/forms';
import { emptyState, notice } from '../../src/web/shell/parts';
import { Refusal } from '../http/refusal';
import type { ConsoleLedger, ConsoleOptions } from '../options';
import { sendConsolePage } from '../page';
import { FOR_OPERATORS, readerOf, type Reader, note } from '../access/reader';
import { textsOf } from '../texts';
import { queryOf } from '../http/paths';
import { isReason, readActForm, reasonField } from '../session/acts/confirm-form';
import { recordReveal } from '../session/request';
import { addressOf, addressOfPayor, filterOf, paymentQuery, type PaymentQuery } from './payment-query';
import { paymentTable } from './payment-table';

export interface PayorContext {
  readonly options: ConsoleOptions;
  readonly ledger: ConsoleLedger;
}

/** The maximum number of names that a search decrypts. Each takes an SQL statement. */
const MOST_DECRYPTED = 500;
/** The number of names that are read at the same time. */
const AT_ONCE = 10;
/** The maximum number of payments that a search shows. For each of them, it records a view of personal data. */
const MOST_FOUND = 50;
/** The minimum number of letters in a search. Fewer letters occur in too many names. */
const FEWEST_LETTERS = 3;
const LONGEST_NAME = 100;

/**
 * Adds the search for payments by their payor's name, which is encrypted in the ledger. Only operators may search, and they must give a
 * reason. The name is sent in a form and not in an address, so that it is in no log. If the form is sent again, it searches again and
 * records its views again.
 */
export function payorRoutes(app: FastifyInstance, context: PayorContext): void {
  app.get('/payments/payor', FOR_OPERATORS, (request, reply) =>
    send(request, reply, formPage(queryFor(request), readerOf(request))),
  );
  app.post('/payments/payor', { config: { isRepeatable: true } }, async (request, reply) => {
    const fields = readForm(request);
    const asked = { name: (fields.get('name') ?? '').trim(), reason: readActForm(fields).reason };
    const faults = {
      name: lettersIn(asked.name) < FEWEST_LETTERS || asked.name.length > LONGEST_NAME,
      reason: !isReason(asked.reason),
    };
    const query = queryFor(request);
    if (faults.name || faults.reason)
      return send(request, reply.code(400), formPage(query, readerOf(request), { ...asked, faults }));
    return send(request, reply, await foundPage(request, query, asked, context));
  });
}

function queryFor(request: FastifyRequest): PaymentQuery {
  const query = paymentQuery(queryOf(request), readerOf(request).timeZone);
  if (query.mistakes.length > 0) throw new Refusal('unreadable');
  return query;
}

function send(request: FastifyRequest, reply: FastifyReply, content: Html): FastifyReply {
  const { title } = textsOf(readerOf(request).language).payments.payor;
  return sendConsolePage(request, reply, { title, place: 'payments', content });
}

interface Asked {
  readonly name: string;
  readonly reason: string;
}

interface Filled extends Asked {
  readonly faults: Readonly<Record<keyof Asked, boolean>>;
}

function formPage(query: PaymentQuery, { language, csrfToken }: Reader, filled?: Filled): Html {
  const { payments, acting } = textsOf(language);
  const texts = payments.payor;
  return html`${notice('attention', acting.form.follows, texts.follows(formatCount(MOST_DECRYPTED, language)))}
    <form method="post" action="${addressOfPayor(query)}">
      ${hidden('csrf', csrfToken)}
      ${field({
        name: 'name',
        label: texts.name,
        hint: texts.nameHint,
        value: filled?.name ?? '',
        maxLength: LONGEST_NAME,
        required: true,
        ...(filled?.faults.name && { error: texts.nameMissing }),
      })}
      ${reasonField(texts.hint, language, filled?.reason, filled?.faults.reason)}
      <p class="row">${button(texts.button)} <a href="${addressOf(query)}">${acting.form.back}</a></p>
    </form>`;
}

async function foundPage(
  request: FastifyRequest,
  query: PaymentQuery,
  { name, reason }: Asked,
  { options, ledger }: PayorContext,
): Promise<Html> {
  const reader = readerOf(request);
  const { language } = reader;
  const { payor: texts } = textsOf(language).payments;
  const page = await ledger.payments.page(query.filter, { size: MOST_DECRYPTED });
  const { found, unread } = await payorsAmong(page.payments, name, ledger);
  const shown: LedgerSession[] = [];
  for (const payment of found.slice(0, MOST_FOUND)) {
    const result = await recorded(options, payment.key, { by: reader.operator.name, reason });
    note(options, request, { act: 'findPayor', key: payment.key, result });
    if (result === 'recorded' || result === 'logged') shown.push(payment);
  }
  const searched = page.payments.length;
  // A search without results is logged, too, because it reveals that the name does not occur.
  const result = `found ${found.length} of ${searched}`;
  note(options, request, { act: 'searchPayors', result, filter: filterOf(query) });
  const unrecorded = Math.min(found.length, MOST_FOUND) - shown.length;
  const hasMore = page.next !== undefined || found.length > MOST_FOUND;
  const count = (of: number) => formatCount(of, language);
  return html`<p><strong>${texts.found(count(shown.length), count(searched))}</strong></p>
    ${unread > 0 && html`<p>${texts.unread(count(unread))}</p>`}
    ${unrecorded > 0 && html`<p>${texts.unrecorded(count(unrecorded))}</p>`}
    ${hasMore && html`<p>${texts.more}</p>`}
    ${found.length === 0 && emptyState(texts.none.heading, texts.none.body)}
    ${shown.length > 0 && paymentTable(shown, reader)}
    <p><a href="${addressOf(query)}">${texts.back}</a></p>`;
}

/**
 * Records the view in the session's workflow. Returns `logged` if the session can record nothing more, and only the console's log has the
 * view. If the record fails, returns the error code.
 */
async function recorded(
  options: ConsoleOptions,
  key: string,
  reveal: { readonly by: string; readonly reason: string },
): Promise<'recorded' | 'logged' | ErrorCode> {
  try {
    return await recordReveal(options, key, reveal);
  } catch (error) {
    if (!isPaysessionError(error)) throw error;
    return error.code;
  }
}

/**
 * Returns the payments whose payor's name contains the text, in the given order. Also returns the number of names that could not be
 * decrypted.
 */
async function payorsAmong(payments: readonly LedgerSession[], name: string, ledger: ConsoleLedger) {
  const payors: (string | undefined)[] = [];
  for (let at = 0; at < payments.length; at += AT_ONCE) {
    const some = payments.slice(at, at + AT_ONCE);
    payors.push(...(await Promise.all(some.map((payment) => payorOf(payment, ledger)))));
  }
  const wanted = comparable(name);
  return {
    found: payments.filter((_payment, at) => comparable(payors[at] ?? '').includes(wanted)),
    unread: payors.filter((payor) => payor === undefined).length,
  };
}

/**
 * Returns the payor's name. The name is blank if it was erased. Returns `undefined` if the ledger's entries about the session cannot be
 * decrypted here.
 */
async function payorOf({ key, claim }: LedgerSession, ledger: ConsoleLedger): Promise<string | undefined> {
  try {
    const entries = await ledger.entriesOf(key);
    const claimed = claimsOf(entries)[claim - 1]?.claimed;
    const { firstName = '', lastName = '' } = claimed?.request?.payor ?? {};
    return `${firstName} ${lastName}`;
  } catch (error) {
    if (faultOfSession(error) !== undefined) return undefined;
    throw error;
  }
}

const lettersIn = (text: string): number => comparable(text).match(/\p{L}/gu)?.length ?? 0;

/** Removes accents and repeated spaces, and changes to lower case, so that different spellings of a name match. */
const comparable = (text: string): string =>
  text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll(/\s+/g, ' ').trim();
