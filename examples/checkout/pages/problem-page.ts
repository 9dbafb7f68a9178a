import { html } from '../html';
import type { Reader } from '../language';
import { TEXTS } from '../texts';
import { layout } from './layout';

export interface ProblemPage {
  readonly reader: Reader;
  readonly title: string;
  readonly detail: string;
}

export function problemPage({ reader, title, detail }: ProblemPage): string {
  return layout({
    reader,
    title,
    content: html`<h1>${title}</h1>
      <p>${detail}</p>
      <p><a class="button" href="/">${TEXTS.backToShop[reader.language]}</a></p>`,
  });
}
