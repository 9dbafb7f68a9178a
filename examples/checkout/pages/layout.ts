import { html, type Html } from '../html';
import { LOCALES, type Reader } from '../language';
import { TEXTS } from '../texts';

export interface Page {
  readonly reader: Reader;
  readonly title: string;
  readonly content: Html;
  /** The page's script elements. @default none */
  readonly script?: Html;
}

/** Returns a page of the shop. */
export function layout({ reader, title, content, script }: Page): string {
  const { language, otherHref } = reader;
  return html`<!doctype html>
    <html lang="${LOCALES[language]}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} – Maple &amp; Brass</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/shop.css" />
        ${script}
      </head>
      <body>
        <header>
          <a class="brand" href="/">Maple &amp; Brass</a>
          <p>${TEXTS.tagline[language]}</p>
          <a href="${otherHref}" lang="${language === 'EN' ? 'fr' : 'en'}"
            >${TEXTS.otherLanguage[language]}</a
          >
        </header>
        <main>${content}</main>
      </body>
    </html>`.text;
}
