import { Html, html } from '../html';
import { formatPrice, type Product } from '../products';
import { layout } from './layout';

export interface OrderPage {
  readonly orderId: string;
  readonly product: Product;
  /** Whether the payor comes from the hosted flow, by a redirect. */
  readonly returned: boolean;
  /** Lets the page's import map in. */
  readonly nonce: string;
  readonly checkoutUrl?: string | undefined;
}

/** Says by name where the page's script finds the module that it imports, as a bundler would. */
const IMPORTS = new Html('{"imports":{"paysession/embed":"/embed.js"}}');

/** An order, told live: the page's script fills in what the server-sent events say. */
export function orderPage({ orderId, product, returned, nonce, checkoutUrl }: OrderPage): string {
  return layout({
    title: `Your order: ${product.name}`,
    script: html`<script type="importmap" nonce="${nonce}">
        ${IMPORTS}
      </script>
      <script type="module" src="/order.js"></script>`,
    content: html`<h1>Your order</h1>
      <div
        id="order"
        class="order"
        data-url="/orders/${orderId}"
        data-name="${product.name}"
        data-returned="${returned ? 'yes' : 'no'}"
        ${checkoutUrl !== undefined && html`data-checkout-url="${checkoutUrl}"`}
      >
        <section class="card" aria-labelledby="headline">
          <p class="item"><span>${product.name}</span> <strong>${formatPrice(product.price)}</strong></p>
          <div class="state" role="status" data-tone="waiting">
            <h2 id="headline" tabindex="-1">Looking at your order …</h2>
            <p id="detail"></p>
          </div>
          <noscript
            ><p class="problems">This page needs scripts, to tell what becomes of your order.</p></noscript
          >
          <p class="actions">
            <button id="resume" class="button" type="button" hidden>Continue to pay</button>
            <button id="cancel" class="button second" type="button" hidden>Cancel the order</button>
            <a id="again" class="button" href="/" hidden>Back to the shop</a>
          </p>
          <p id="trouble" class="problems" role="alert" hidden></p>
        </section>
        <section id="flow" class="card flow" aria-label="Payment" hidden></section>
        <section class="card" aria-labelledby="happened">
          <h2 id="happened">What happened</h2>
          <ol id="history" class="history"></ol>
          <p class="soft">Order <code>${orderId}</code></p>
        </section>
      </div>`,
  });
}
