import { html, type Html } from '../../../web/html';
import { dataTable } from '../../../web/shell/data-table';
import type { Reader } from '../../server/reader';
import { shownReferenceOf } from '../identity';
import { actButtons } from '../standing-section';
import { textsOf, type Texts } from '../../texts';
import type { SessionView } from '../view';
import { maskedRequest, type ShownValue } from './masked-request';

/** What was asked for, without what is personal. */
export function requestSection(view: SessionView, reader: Reader): Html {
  const texts = textsOf(reader.language).session;
  const { stored } = view;
  return html`<section aria-labelledby="request">
    <h2 id="request">${texts.sections.request}</h2>
    ${
      stored && 'input' in stored
        ? html`<p>${texts.request.explained}</p>
            ${requestTable(maskedRequest(stored.input.request, shownReferenceOf(view)), texts)}
            ${actButtons(['reveal'], view, reader)}`
        : html`<p>${whyUnread(view, texts)}</p>`
    }
  </section>`;
}

export function requestTable(values: readonly ShownValue[], texts: Texts['session']): Html {
  const { columns } = texts.request;
  const rows = values.map(({ path, text, isMasked }) => [
    html`<code>${path}</code>`,
    isMasked ? html`<span aria-label="${texts.facts.masked}" role="img">${text}</span>` : html`${text}`,
  ]);
  return dataTable(texts.sections.request, [columns.field, columns.value], rows);
}

/** Why the request is not shown. */
export function whyUnread(
  { stored, record }: Pick<SessionView, 'stored' | 'record'>,
  { request }: Texts['session'],
): string {
  if (record !== undefined) return request.erased;
  if (stored === undefined || 'input' in stored) return request.notRead;
  return stored.unreadable === 'notAnInput' ? request.notAnInput : request.locked;
}
