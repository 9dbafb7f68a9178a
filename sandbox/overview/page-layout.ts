import { Html, html } from '../../web/html';
import { type PageMaker, STYLE } from '../../web/send-page';
import { layout } from '../../web/shell/layout';

export interface OverviewPage {
  readonly title: string;
  readonly heading?: Html;
  readonly content: Html;
  /** Which entry of the navigation is the current one. */
  readonly place?: 'overview' | 'outbox';
  /** The way from the page to the sandbox's root: links are relative, so that they lead through a proxy, too. */
  readonly root?: './' | '../';
}

/** A page that shows people what the sandbox did. */
export function overviewLayout({ title, heading, content, place, root = './' }: OverviewPage): PageMaker {
  return (nonce) =>
    layout({
      language: 'EN',
      title,
      heading,
      product: 'paysession sandbox',
      head: new Html(`<style nonce="${nonce}">${STYLE}</style>`),
      navigation: [
        { text: 'Overview', href: root, isCurrent: place === 'overview' },
        { text: 'Outbox', href: `${root}outbox`, isCurrent: place === 'outbox' },
        { text: 'OpenAPI', href: `${root}openapi.json` },
      ],
      content,
    });
}

/** As much of a session's id as tells it from the others that are shown. */
export const shortId = (sessionId: string): Html =>
  html`<code class="nowrap">${sessionId.slice(0, 8)}</code>`;
