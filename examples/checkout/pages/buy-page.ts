import { html, type Html } from '../html';
import { CHOICES, FIELDS, type OrderForm } from '../orders/form';
import { formatPrice, type Product } from '../products';
import { layout } from './layout';

export interface Problem {
  /** Name of the field to mend, where it is one. */
  readonly field?: string | undefined;
  readonly message: string;
}

export interface BuyPage {
  readonly product: Product;
  /** Minted with the form: a form that is sent twice is one order. */
  readonly orderId: string;
  readonly form: OrderForm;
  readonly problems?: readonly Problem[];
  /** An order that has been placed already. */
  readonly existing?: string;
}

export function buyPage({ product, orderId, form, problems = [], existing }: BuyPage): string {
  return layout({
    title: product.name,
    content: html`<h1>${product.name}</h1>
      ${problems.length > 0 && problemList(problems)}
      ${
        existing !== undefined &&
        html`<p class="problems" role="alert">
          You have placed <a href="/orders/${existing}">this order</a> already, with other details. Sent
          again, it is a new one.
        </p>`
      }
      <div class="order">
        <aside class="card product" aria-label="What you buy">
          ${product.picture}
          <p class="soft">${product.description}</p>
          <p class="price">${formatPrice(product.price)}</p>
        </aside>
        <form class="card" method="post" action="/buy/${product.id}">
          <input type="hidden" name="orderId" value="${orderId}" />
          <fieldset class="fields">
            <legend>Who buys, and where it goes</legend>
            ${FIELDS.map((field) => textField(field, form[field.name], problems))}
          </fieldset>
          ${radios('method', 'How do you pay?', form)} ${radios('comeBack', 'How do you come back?', form)}
          <button class="button" type="submit">Order and pay</button>
        </form>
      </div>`,
  });
}

function textField(
  { name, label, autocomplete }: (typeof FIELDS)[number],
  value: string,
  problems: readonly Problem[],
): Html {
  const wrong = problems.some(({ field }) => field === name);
  return html`<label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      value="${value}"
      autocomplete="${autocomplete}"
      ${wrong && html`aria-invalid="true" aria-describedby="problem-${name}"`}
    />`;
}

function radios(name: keyof typeof CHOICES, legend: string, form: OrderForm): Html {
  return html`<fieldset>
    <legend>${legend}</legend>
    ${CHOICES[name].map(
      ({ value, label }) =>
        html`<label class="choice">
          <input type="radio" name="${name}" value="${value}" ${form[name] === value && html`checked`} /><span
            >${label}</span
          >
        </label>`,
    )}
  </fieldset>`;
}

function problemList(problems: readonly Problem[]): Html {
  return html`<div class="problems" role="alert">
    <h2>Please check</h2>
    <ul>
      ${problems.map(({ field, message }) =>
        field === undefined
          ? html`<li>${message}</li>`
          : html`<li id="problem-${field}"><a href="#${field}">${message}</a></li>`,
      )}
    </ul>
  </div>`;
}
