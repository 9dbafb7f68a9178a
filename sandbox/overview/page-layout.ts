import { Html, html } from '../../web/html';
import type { PageMaker } from '../../web/send-page';

const STYLE = `
:root { color-scheme: light; }
body { margin: 0 auto; max-width: 72rem; padding: 1rem; color: #1b2430; background: #fff; font: .9375rem/1.5 system-ui, "Liberation Sans", sans-serif; }
h1 { font-size: 1.375rem; } h2 { font-size: 1.0625rem; margin: 1.5rem 0 .5rem; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .375rem .75rem .375rem 0; border-bottom: 1px solid #d5dce3; vertical-align: top; }
td { overflow-wrap: anywhere; min-width: 5rem; }
td p { margin: .375rem 0 0; white-space: pre-line; }
a { color: #0b5c6b; } code { font-family: ui-monospace, "Liberation Mono", monospace; }
time { white-space: nowrap; }
nav a { margin-right: 1rem; }
:focus-visible { outline: 3px solid #d98a00; outline-offset: 2px; }
`;

/** A page that shows people what the sandbox did. */
export function overviewLayout(title: string, content: Html): PageMaker {
  return (nonce) =>
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>${title} – paysession sandbox</title>
          ${new Html(`<style nonce="${nonce}">${STYLE}</style>`)}
        </head>
        <body>
          <nav aria-label="Pages">
            <a href="./">Overview</a><a href="outbox">Outbox</a><a href="openapi.json">OpenAPI</a>
          </nav>
          <main>
            <h1>${title}</h1>
            ${content}
          </main>
        </body>
      </html>`;
}

/** A table, or a word where it would be empty. */
export function table(label: string, columns: readonly string[], rows: readonly (readonly Html[])[]): Html {
  if (rows.length === 0) return html`<p>None yet.</p>`;
  return html`<div class="table" role="region" aria-label="${label}" tabindex="0">
    <table>
      <thead>
        <tr>
          ${columns.map((column) => html`<th scope="col">${column}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** A moment, to the second. */
export function moment(at: string): Html {
  return html`<time datetime="${at}">${at.slice(0, 19).replace('T', ' ')}</time>`;
}

/** As much of a session's id as tells it from the others that are shown. */
export const shortId = (sessionId: string): Html => html`<code>${sessionId.slice(0, 8)}</code>`;
