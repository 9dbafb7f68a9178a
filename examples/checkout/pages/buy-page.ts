import { html, type Html } from '../html';
import type { Language, Reader, Text } from '../language';
import { CHOICES, FIELDS, type OrderForm } from '../orders/form';
import { formatPrice, type Product } from '../products';
import { TEXTS } from '../texts';
import { layout } from './layout';

export interface Problem {
  /** The name of the field to correct. Absent if the problem is not about a field of the form. */
  readonly field?: string | undefined;
  readonly message: string;
}

export interface BuyPage {
  readonly reader: Reader;
  readonly product: Product;
  /** The id of the order. The form contains it, so that a form that is sent twice makes one order. */
  readonly orderId: string;
  readonly form: OrderForm;
  readonly problems?: readonly Problem[];
  /** The id of an order that was already placed with this form. */
  readonly existing?: string;
}

export function buyPage({ reader, product, orderId, form, problems = [], existing }: BuyPage): string {
  const { language } = reader;
  const name = product.name[language];
  const texts = TEXTS.buy;
  return layout({
    reader,
    title: name,
    content: html`<h1>${name}</h1>
      ${problems.length > 0 && problemList(problems, language)}
      ${
        existing !== undefined &&
        html`<p class="problems" role="alert">
          ${texts.existing[language]} <a href="/orders/${existing}">${texts.toExisting[language]}</a>
        </p>`
      }
      <div class="order">
        <aside class="card product" aria-label="${texts.product[language]}">
          ${product.picture}
          <p class="soft">${product.description[language]}</p>
          <p class="price">${formatPrice(product.price, language)}</p>
        </aside>
        <form class="card" method="post" action="/buy/${product.id}">
          <input type="hidden" name="orderId" value="${orderId}" />
          <fieldset class="fields">
            <legend>${texts.buyer[language]}</legend>
            ${FIELDS.map((field) => textField(field, { language, form, problems }))}
          </fieldset>
          ${radios('method', form, language)} ${radios('comeBack', form, language)}
          <button class="button" type="submit">${texts.send[language]}</button>
        </form>
      </div>`,
  });
}

interface Shown {
  readonly language: Language;
  readonly form: OrderForm;
  readonly problems: readonly Problem[];
}

function textField(
  { name, autocomplete }: (typeof FIELDS)[number],
  { language, form, problems }: Shown,
): Html {
  const wrong = problems.some(({ field }) => field === name);
  return html`<label for="${name}">${TEXTS.fields[name][language]}</label>
    <input
      id="${name}"
      name="${name}"
      value="${form[name]}"
      autocomplete="${autocomplete}"
      ${wrong && html`aria-invalid="true" aria-describedby="problem-${name}"`}
    />`;
}

function radios(name: keyof typeof CHOICES, form: OrderForm, language: Language): Html {
  // Each choice has a text.
  const texts: Readonly<Record<string, Text>> = TEXTS[name];
  return html`<fieldset>
    <legend>${TEXTS[name].legend[language]}</legend>
    ${CHOICES[name].map(
      (value) =>
        html`<label class="choice">
          <input type="radio" name="${name}" value="${value}" ${form[name] === value && html`checked`} /><span
            >${texts[value]?.[language]}</span
          >
        </label>`,
    )}
  </fieldset>`;
}

function problemList(problems: readonly Problem[], language: Language): Html {
  return html`<div class="problems" role="alert">
    <h2>${TEXTS.buy.check[language]}</h2>
    <ul>
      ${problems.map(({ field, message }) =>
        field === undefined
          ? html`<li>${message}</li>`
          : html`<li id="problem-${field}"><a href="#${field}">${message}</a></li>`,
      )}
    </ul>
  </div>`;
}
