import { html, type Html } from '../../src/web/html';
import type { Language } from '../../src/web/language';
import { notice, copyable } from '../../src/web/shell/parts';
import type { ConsoleOptions } from '../options';
import type { Reader } from '../access/reader';
import { textsOf, type Texts } from '../texts';
import { requestSection } from './request';
import { standingSection, todoSection } from './standing-section';
import { timelineSection } from './timeline-section';
import { viewFor } from './checkout';
import { lostPartOf, type SessionView } from './view';
import { accountOf, shownReferenceOf } from './identity';
import { isSessionId } from '../../src/contract/identity';

/**
 * Renders the parts of a session's page that change, for the page itself and for its live changes. They contain no personal data. For a
 * viewer, they also contain nothing that opens the payor's page.
 */
export function sessionFragment(whole: SessionView, reader: Reader, options: ConsoleOptions): Html {
  const view = viewFor(reader.operator, whole);
  return html`${silenceNotice(view, reader)} ${recordNotice(view, reader)} ${standingSection(view, reader)}
  ${todoSection(view, reader)} ${timelineSection(view, reader)} ${requestSection(view, reader)}
  ${linksSection(view, reader, options)}`;
}

/** Explains why the session's state cannot be read now. */
function silenceNotice({ silence, known }: SessionView, { language }: Reader): Html {
  const { silence: texts, asOfBefore } = textsOf(language).session;
  const isLocked = silence?.startsWith('ENCRYPTION_') === true;
  const reason = isLocked ? 'locked' : silence === 'TEMPORAL_BUSY' ? 'busy' : lostPartOf(silence);
  if (reason === undefined) return html``;
  const { heading, body } = texts[reason];
  return notice('bad', heading, known === undefined ? body : `${body} ${asOfBefore}`);
}

/** Explains that only the ledger still has the session. */
function recordNotice({ record }: SessionView, { language }: Reader): Html {
  if (record === undefined) return html``;
  const { heading, body } = textsOf(language).session.record;
  return notice('attention', heading, body);
}

function linksSection(
  view: SessionView,
  { language }: Reader,
  { uiUrl, portalUrl, client }: ConsoleOptions,
): Html {
  const texts = textsOf(language).session;
  const checkoutUrl = view.known?.state.checkoutUrl;
  const history =
    uiUrl === undefined || view.record !== undefined
      ? undefined
      : `${uiUrl}/namespaces/${encodeURIComponent(client.options.namespace)}/workflows/${encodeURIComponent(view.workflowId)}`;
  const portal = portalAddress(portalUrl, view);
  if ([history, portal, checkoutUrl].every((url) => url === undefined)) return html``;
  return html`<section aria-labelledby="links">
    <h2 id="links">${texts.sections.links}</h2>
    <ul>
      ${history !== undefined && html`<li><a href="${history}" rel="noreferrer">${texts.links.temporal}</a></li>`}
      ${portal !== undefined && html`<li><a href="${portal}" rel="noreferrer">${texts.links.portal}</a></li>`}
      ${checkoutUrl !== undefined && html`<li>${checkoutLink(checkoutUrl, texts, language)}</li>`}
    </ul>
  </section>`;
}

/** Renders a link to the payor's page. If the URL is not a web address, renders only its text. */
function checkoutLink(
  url: string,
  { links: { checkout }, colon }: Texts['session'],
  language: Language,
): Html {
  const isWeb = URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
  const shown = html`<code>${copyable(url, checkout, language)}</code>`;
  return isWeb
    ? html`<a href="${url}" rel="noreferrer">${checkout}</a> ${shown}`
    : html`${checkout}${colon} ${shown}`;
}

/**
 * Returns the URL of the session's page in the payment service's portal. Returns `undefined` if a value that belongs in the URL is
 * unknown, masked or shortened.
 */
function portalAddress(template: string | undefined, view: SessionView): string | undefined {
  const { sessionId } = view.known?.state ?? {};
  const known: Readonly<Record<string, string | undefined>> = {
    key: view.key,
    // A viewer sees only the start of the id, which leads nowhere.
    sessionId: isSessionId(sessionId) ? sessionId : undefined,
    referenceId: shownReferenceOf(view),
    account: accountOf(view),
  };
  const names = Array.from(template?.matchAll(NAMES) ?? [], ([, name = '']) => name);
  if (names.some((name) => known[name] === undefined)) return undefined;
  return template?.replaceAll(NAMES, (_braces, name: string) => encodeURIComponent(known[name] ?? ''));
}

const NAMES = /\{(\w+)\}/g;
