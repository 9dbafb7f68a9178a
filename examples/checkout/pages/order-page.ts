import { Html, html } from '../html';
import type { Reader } from '../language';
import { formatPrice, type Product } from '../products';
import { TEXTS } from '../texts';
import { layout } from './layout';

export interface OrderPage {
  readonly reader: Reader;
  readonly orderId: string;
  readonly product: Product;
  /** True if the hosted flow has redirected the payor to this page. */
  readonly returned: boolean;
  /** Allows the page's import map. */
  readonly nonce: string;
  readonly checkoutUrl?: string | undefined;
}

/**
 * The page's import map: the browser loads the module `paysession/embed` from this file. A bundler does this at build
 * time.
 */
const IMPORTS = new Html('{"imports":{"paysession/embed":"/embed.js"}}');

/** Returns the page of an order. The page's script receives server-sent events, and fills in their content. */
export function orderPage(page: OrderPage): string {
  const { reader, orderId, product, returned, nonce, checkoutUrl } = page;
  const { language } = reader;
  const texts = TEXTS.order;
  const name = product.name[language];
  return layout({
    reader,
    title: `${texts.title[language]} – ${name}`,
    script: html`<script type="importmap" nonce="${nonce}">
        ${IMPORTS}
      </script>
      <script type="module" src="/order.js"></script>`,
    content: html`<h1>${texts.title[language]}</h1>
      <div
        id="order"
        class="order"
        data-url="/orders/${orderId}"
        data-flow-title="${texts.payment[language]} – ${name}"
        data-returned="${returned ? 'yes' : 'no'}"
        ${checkoutUrl !== undefined && html`data-checkout-url="${checkoutUrl}"`}
      >
        <section class="card" aria-labelledby="headline">
          <p class="item"><span>${name}</span> <strong>${formatPrice(product.price, language)}</strong></p>
          <div class="state" role="status" data-tone="waiting">
            <h2 id="headline" tabindex="-1">${texts.looking[language]}</h2>
            <p id="detail"></p>
          </div>
          <noscript><p class="problems">${texts.needsScripts[language]}</p></noscript>
          <p class="actions">
            <button id="resume" class="button" type="button" hidden>${texts.resume[language]}</button>
            <button id="cancel" class="button second" type="button" hidden>${texts.cancel[language]}</button>
            <a id="again" class="button" href="/" hidden>${TEXTS.backToShop[language]}</a>
          </p>
          <p
            id="trouble"
            class="problems"
            role="alert"
            data-away="${texts.away[language]}"
            data-silent="${texts.silent[language]}"
            data-uncancelled="${texts.uncancelled[language]}"
            hidden
          ></p>
        </section>
        <section id="flow" class="card flow" aria-label="${texts.payment[language]}" hidden></section>
        <section class="card" aria-labelledby="happened">
          <h2 id="happened">${texts.happened[language]}</h2>
          <ol id="history" class="history"></ol>
          <p class="soft">${texts.id[language]} <code>${orderId}</code></p>
        </section>
      </div>`,
  });
}
