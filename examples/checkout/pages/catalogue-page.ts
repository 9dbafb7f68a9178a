import { html } from '../html';
import type { Reader } from '../language';
import { formatPrice, type Product } from '../products';
import { TEXTS } from '../texts';
import { layout } from './layout';

export function cataloguePage(reader: Reader, products: readonly Product[]): string {
  const { language } = reader;
  const { title, buy } = TEXTS.catalogue;
  return layout({
    reader,
    title: title[language],
    content: html`<h1>${title[language]}</h1>
      <ul class="products">
        ${products.map(
          ({ id, name, description, price, picture }) =>
            html`<li class="card">
              ${picture}
              <h2>${name[language]}</h2>
              <p class="soft">${description[language]}</p>
              <p class="price">${formatPrice(price, language)}</p>
              <a class="button" href="/buy/${id}"
                >${buy[language]}<span class="unseen"> – ${name[language]}</span></a
              >
            </li>`,
        )}
      </ul>`,
  });
}
