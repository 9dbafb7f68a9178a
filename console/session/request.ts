import type { FastifyReply, FastifyRequest } from 'fastify';
import { isPaysessionError } from '../../src/errors';
import { html, type Html } from '../../src/web/html';
import { facts, notice, dataTable } from '../../src/web/shell/parts';
import { keyOf, note, type Reader, readerOf } from '../access/reader';
import { textsOf, type Texts } from '../texts';
import type { ConsoleOptions } from '../options';
import { sendConsolePage } from '../page';
import { sessionPath } from '../http/paths';
import { shownMetadataOf, shownReferenceOf, identityFacts } from './identity';
import { actButtons } from './standing-section';
import { type SessionView, readView } from './view';
import { maskedMetadata, maskedRequest, type ShownValue, revealedRequest } from './personal-fields';

/** Renders the request without its personal values. */
export function requestSection(view: SessionView, reader: Reader): Html {
  const texts = textsOf(reader.language).session;
  const { stored } = view;
  return html`<section aria-labelledby="request">
    <h2 id="request">${texts.sections.request}</h2>
    ${
      stored?.input
        ? html`<p>${texts.request.explained}</p>
            ${requestTable(
              [
                ...maskedRequest(stored.input.request, shownReferenceOf(view)),
                ...maskedMetadata(stored.input.metadata, shownMetadataOf(view)),
              ],
              texts,
            )}
            ${actButtons(['reveal'], view, reader)}`
        : html`<p>${whyUnread(view, texts)}</p>`
    }
  </section>`;
}

function requestTable(values: readonly ShownValue[], texts: Texts['session']): Html {
  const { columns } = texts.request;
  const rows = values.map(({ path, text, isMasked }) => [
    html`<code>${path}</code>`,
    isMasked ? html`<span aria-label="${texts.facts.masked}" role="img">${text}</span>` : html`${text}`,
  ]);
  return dataTable(texts.sections.request, [columns.field, columns.value], rows);
}

/** Explains why the request is not shown. */
function whyUnread(
  { stored, record }: Pick<SessionView, 'stored' | 'record'>,
  { request }: Texts['session'],
): string {
  if (record !== undefined) return request.erased;
  if (stored === undefined) return request.notRead;
  return stored.unreadable === 'notAnInput' ? request.notAnInput : request.locked;
}

/**
 * Shows the unmasked request. First, the session records the reader and the reason. If the session has ended, or its record is full, only
 * the console's log records the view. If the session does not answer, throws and shows nothing. The request is in no cache and in no URL.
 */
export async function revealPage(
  request: FastifyRequest,
  reply: FastifyReply,
  options: ConsoleOptions,
  reason: string,
): Promise<FastifyReply> {
  const { language, operator } = readerOf(request);
  const key = keyOf(request);
  const texts = textsOf(language).session;
  const view = await readView(options, key);
  const result = await recordReveal(options, key, { by: operator.name, reason });
  note(options, request, { act: 'reveal', key, result });
  return sendConsolePage(request, reply, {
    title: texts.sections.request,
    place: 'sessions',
    content: html`${notice('attention', texts.request.revealed, result === 'recorded' ? '' : texts.request.notKept)}
      <div class="card">
        <h2>${texts.title(key)}</h2>
        ${facts(identityFacts(view, language))}
      </div>
      ${revealedTable(view, texts)} ${serviceSaid(view, texts)}
      <p><a href="${sessionPath(key)}">${texts.title(key)}</a></p>`,
  });
}

/**
 * Records a view of personal data in the session's own record. Returns `logged` if the session can record nothing more: it has ended, its
 * record is full, it was terminated, or Temporal has dropped it. Throws all other errors.
 */
export async function recordReveal(
  { sessions }: Pick<ConsoleOptions, 'sessions'>,
  key: string,
  reveal: { readonly by: string; readonly reason: string },
): Promise<'recorded' | 'logged'> {
  try {
    return (await sessions.get(key).recordReveal(reveal)).kept ? 'recorded' : 'logged';
  } catch (error) {
    if (isPaysessionError(error, 'SESSION_TERMINATED') || isPaysessionError(error, 'SESSION_NOT_FOUND'))
      return 'logged';
    throw error;
  }
}

function revealedTable(view: SessionView, texts: Texts['session']): Html {
  const { input } = view.stored ?? {};
  if (input === undefined) return html`<p>${whyUnread(view, texts)}</p>`;
  const values = [...revealedRequest(input.request), ...maskedMetadata(input.metadata, input.metadata)];
  return requestTable(values, texts);
}

/** Lists the payment service's own texts about a failure. They may quote the request. */
function serviceSaid({ known }: SessionView, texts: Texts['session']): Html {
  const { title, detail, errors } = known?.state.failure?.problem ?? {};
  const said = [title, detail, ...Object.values(errors ?? {}).flat()].filter(
    (text) => text != null && text !== '',
  );
  if (said.length === 0) return html``;
  return html`<h2>${texts.request.serviceSaid}</h2>
    <ul>
      ${said.map((text) => html`<li>${text}</li>`)}
    </ul>`;
}
