import { html, type Html } from '../html';

export interface Page {
  readonly title: string;
  readonly content: Html;
  /** What the page's script needs; without it, the page has no script. */
  readonly script?: Html;
}

/** A page of the shop. */
export function layout({ title, content, script }: Page): string {
  return html`<!doctype html>
    <html lang="en">
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
          <a href="/">Maple &amp; Brass</a>
          <p>A sample shop: nothing is sold, and no money moves.</p>
        </header>
        <main>${content}</main>
      </body>
    </html>`.text;
}
