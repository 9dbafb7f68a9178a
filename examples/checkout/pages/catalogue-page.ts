import { html } from '../html';
import { formatPrice, type Product } from '../products';
import { layout } from './layout';

export function cataloguePage(products: readonly Product[]): string {
  return layout({
    title: 'Things for your desk',
    content: html`<h1>Things for your desk</h1>
      <ul class="products">
        ${products.map(
          ({ id, name, description, price, picture }) =>
            html`<li class="card">
              ${picture}
              <h2>${name}</h2>
              <p class="soft">${description}</p>
              <p class="price">${formatPrice(price)}</p>
              <a class="button" href="/buy/${id}">Buy<span class="unseen"> the ${name}</span></a>
            </li>`,
        )}
      </ul>`,
  });
}
