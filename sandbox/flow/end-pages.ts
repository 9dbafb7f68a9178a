import { flowPage, returnOfControl, type ReturnOfControl } from './layout';
import { languageOf, paymentSummary, receipt } from './view';
import type { SandboxSession } from '../sessions/session';
import { awaitsSignature } from '../../src/contract';
import { html, type Html } from '../../src/web/html';
import { formatMoney, type Language } from '../../src/web/language';
import type { PageMaker } from '../../src/web/send-page';
import { textsOf, type FlowTexts } from './texts';

export interface Ending {
  readonly session: SandboxSession;
  readonly merchant: string;
  readonly frameAncestors: readonly string[];
}

/** Returns the page of a session that the payor's form has just ended. */
export function endPage(ending: Ending): PageMaker {
  return ending.session.state.status === 'Completed' ? successPage(ending) : failedPage(ending);
}

/** Returns the page for a payor who has finished. Control returns to the merchant at once. */
function successPage(ending: Ending): PageMaker {
  const { session, frameAncestors } = ending;
  const { direction, state } = session;
  const { language, texts } = languageOf(session);
  const returning = returnOfControl(session.options, 'SUCCESS', frameAncestors);
  const amount = formatMoney(state.amount ?? 0, language);
  return flowPage({
    language,
    title: texts.results.success,
    returning: { ...returning, when: 'now' },
    content: html`<h1>${texts.results.success}</h1>
      <p>${direction === 'CREDIT' ? texts.results.deposited(amount) : texts.results.paid(amount)}</p>
      ${receipt(ending)} ${wayBack(returning, texts)}`,
  });
}

/** Returns the page of a session that has failed. Control returns to the merchant when the payor clicks. */
function failedPage(ending: Ending): PageMaker {
  const { session, frameAncestors } = ending;
  const { language, texts } = languageOf(session);
  const returning = returnOfControl(session.options, 'EXIT', frameAncestors);
  const { failed, reasonUnknown, backToMerchant } = texts.results;
  const reasons: Readonly<Record<string, string>> = texts.results.reasons;
  return flowPage({
    language,
    title: failed,
    returning: { ...returning, when: 'onClick' },
    content: html`<h1>${failed}</h1>
      <p>${reasons[session.state.code ?? ''] ?? reasonUnknown}</p>
      ${receipt(ending)}
      ${
        returning.by === 'redirect'
          ? redirectLink(returning.url, backToMerchant)
          : html`<button class="button" type="button" data-give-back>${backToMerchant}</button>`
      }`,
  });
}

/** Returns the page for a payor who has left, and may come back. Control returns to the merchant at once. */
export function exitPage({ session, merchant, frameAncestors }: Ending): PageMaker {
  const { language, texts } = languageOf(session);
  const returning = returnOfControl(session.options, 'EXIT', frameAncestors);
  const { left, leftOpen, leftToSign, goBack } = texts.results;
  return flowPage({
    language,
    title: left,
    returning: { ...returning, when: 'now' },
    content: html`<p class="merchant">${merchant}</p>
      <h1>${left}</h1>
      <p>${awaitsSignature(session.state) ? leftToSign : leftOpen}</p>
      ${wayBack(returning, texts)}
      <p><a href="?sessionId=${encodeURIComponent(session.sessionId)}">${goBack}</a></p>`,
  });
}

/** Returns the page of an ended session in its language, or of an unknown one in both languages (contract rule A62 in docs/contract.md). */
export function overPage(language?: Language): PageMaker {
  const languages = language === undefined ? (['EN', 'FR'] as const) : [language];
  const texts = languages.map((each) => ({ language: each, ...textsOf(each) }));
  const [first] = languages;
  return flowPage({
    language: first,
    title: texts.map(({ over }) => over).join(' '),
    content: html`${texts.map(({ language: each, over }, index) =>
      index === 0
        ? html`<h1>${over}</h1>`
        : html`<p lang="${each.toLowerCase()}"><strong>${over}</strong></p>`,
    )}`,
  });
}

/** Returns the page of a session that a scenario plays (contract A63). */
export function scenarioPage(session: SandboxSession): PageMaker {
  const { language, texts } = languageOf(session);
  const { scenario } = session;
  return flowPage({
    language,
    title: texts.scenario.heading,
    content: html`<h1>${texts.scenario.heading}</h1>
      ${paymentSummary({ session })}
      <p>${texts.scenario.intro(scenario ?? '')}</p>`,
  });
}

/** Returns the text or link that the payor needs if the page cannot return control by itself. */
function wayBack(returning: ReturnOfControl, texts: FlowTexts): Html {
  if (returning.by === 'message') return html`<p>${texts.results.canClose}</p>`;
  return html`<p role="status">${texts.results.returning}</p>
    ${redirectLink(returning.url, texts.results.backToMerchant)}`;
}

const redirectLink = (url: string, text: string): Html =>
  html`<p><a class="button" href="${url}" target="_top" rel="noreferrer">${text}</a></p>`;
