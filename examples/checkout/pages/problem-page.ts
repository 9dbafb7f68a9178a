import { html } from '../html';
import { layout } from './layout';

export function problemPage(title: string, detail: string): string {
  return layout({
    title,
    content: html`<h1>${title}</h1>
      <p>${detail}</p>
      <p><a class="button" href="/">Back to the shop</a></p>`,
  });
}
