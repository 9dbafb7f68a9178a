import { html, type Html } from '../html';
import type { Language } from '../language';
import { shellTexts } from './texts';

export interface Layout {
  readonly language: Language;
  readonly title: string;
  /** The page's main heading, if it differs from the title. */
  readonly heading?: Html | undefined;
  /** The product's name. It is shown next to the navigation and in the title. */
  readonly product: string;
  /** The style and script elements, with the page's nonce. */
  readonly head: Html;
  readonly navigation: readonly {
    readonly text: string;
    readonly href: string;
    readonly isCurrent?: boolean;
  }[];
  /** The right part of the header, with the languages and the logged-in user. */
  readonly tools?: Html;
  readonly content: Html;
}

/** Returns a page with the header that all pages of a product share. */
export function layout({
  language,
  title,
  heading,
  product,
  head,
  navigation,
  tools,
  content,
}: Layout): Html {
  const texts = shellTexts(language);
  return html`<!doctype html>
    <html lang="${language.toLowerCase()}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} – ${product}</title>
        ${head}
      </head>
      <body>
        <a class="skip" href="#content">${texts.skip}</a>
        <header class="top">
          <span class="product">${product}</span>
          <nav aria-label="${texts.pages}">
            ${navigation.map(
              ({ text, href, isCurrent = false }) =>
                html`<a href="${href}" ${isCurrent && html`aria-current="page"`}>${text}</a>`,
            )}
          </nav>
          ${tools && html`<div class="tools">${tools}</div>`}
        </header>
        <div
          class="connection"
          role="status"
          data-connection="${texts.connectionLost}"
          data-temporal="${texts.temporalLost}"
          data-worker="${texts.workerLost}"
          data-login="${texts.loginEnded}"
          data-again="${texts.logInAgain}"
          hidden
        ></div>
        <main id="content" tabindex="-1">
          <h1>${heading ?? title}</h1>
          ${content}
        </main>
        <p
          class="said"
          aria-live="polite"
          data-said
          data-copy="${texts.copy}"
          data-copied="${texts.copied}"
          data-not-copied="${texts.notCopied}"
        ></p>
      </body>
    </html>`;
}

/**
 * Returns the list of keyboard shortcuts, a switch that turns them off, and a button that opens the list. The button is hidden until the
 * script shows it.
 */
export function keyList(language: Language): Html {
  const { keys } = shellTexts(language);
  const rows = [
    ['/', keys.search],
    ['j', keys.next],
    ['k', keys.previous],
    ['?', keys.list],
  ] as const;
  return html`<button type="button" class="opener" data-keys-opener hidden>${keys.title}</button>
    <dialog data-keys aria-labelledby="keys">
      <h2 id="keys">${keys.title}</h2>
      <dl class="facts">
        ${rows.map(
          ([key, meaning]) =>
            html`<dt><kbd>${key}</kbd></dt>
              <dd>${meaning}</dd>`,
        )}
      </dl>
      <p>
        <label><input type="checkbox" /> ${keys.isOn}</label>
      </p>
      <button type="button" class="button second" data-keys-close>${keys.close}</button>
    </dialog>`;
}
