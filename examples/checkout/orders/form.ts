import type { PaymentSessionInput, SessionPolicy, ValidationFailure } from 'paysession';
import type { Language } from '../language';
import type { Product } from '../products';
import { TEXTS } from '../texts';

/** The form's fields about the buyer. `path` is the field's path in the `payor` of the session's request. */
export const FIELDS = [
  { name: 'firstName', path: 'firstName', autocomplete: 'given-name' },
  { name: 'lastName', path: 'lastName', autocomplete: 'family-name' },
  { name: 'email', path: 'email', autocomplete: 'email' },
  { name: 'street', path: 'address.addressLine1', autocomplete: 'address-line1' },
  { name: 'city', path: 'address.city', autocomplete: 'address-level2' },
  { name: 'province', path: 'address.province', autocomplete: 'address-level1' },
  { name: 'postalCode', path: 'address.postalCode', autocomplete: 'postal-code' },
] as const;

export const CHOICES = {
  method: ['debit', 'guaranteed', 'e-transfer'],
  comeBack: ['messages', 'redirect'],
} as const;

type FieldName = (typeof FIELDS)[number]['name'] | keyof typeof CHOICES;

/** The values of the form: those that the buyer sent, or the initial ones. */
export type OrderForm = Readonly<Record<FieldName, string>>;

/** An invented buyer. The form starts with these values, so that you can try the shop with one click. */
export const EXAMPLE_BUYER: OrderForm = {
  firstName: 'Avery',
  lastName: 'Tremblay',
  email: 'avery.tremblay@example.com',
  street: '1 King Street West',
  city: 'Toronto',
  province: 'ON',
  postalCode: 'M5H 1A1',
  method: 'debit',
  comeBack: 'messages',
};

export function readOrderForm(sent: URLSearchParams): OrderForm {
  const names = Object.keys(EXAMPLE_BUYER) as FieldName[];
  return Object.fromEntries(names.map((name) => [name, sent.get(name)?.trim() ?? ''])) as OrderForm;
}

export interface Order {
  readonly orderId: string;
  readonly product: Product;
  readonly form: OrderForm;
  /** The buyer's language. The hosted flow and its mails also use it. */
  readonly language: Language;
  /**
   * The absolute URL of the order's page. The hosted flow redirects to this URL, and sends its messages to this URL's
   * origin.
   */
  readonly orderUrl: string;
  readonly policy?: SessionPolicy | undefined;
}

/**
 * Returns the input of an order's payment session. The price is that of the shop's product. The page cannot change it.
 */
export function toSession({
  orderId,
  product,
  form,
  language,
  orderUrl,
  policy,
}: Order): PaymentSessionInput {
  const { firstName, lastName, email, street, city, province, postalCode } = form;
  const address = {
    addressLine1: street,
    city,
    province: province.toUpperCase() as 'ON',
    country: 'CA',
    postalCode: postalCode.replaceAll(' ', '').toUpperCase(),
  } as const;
  return {
    key: orderId,
    ...(policy !== undefined && { policy }),
    request: {
      type: form.method === 'e-transfer' ? 'e-Transfer' : 'EFT',
      direction: 'DEBIT',
      amount: product.price,
      referenceId: orderId,
      options: {
        notificationPreferences: { language },
        guarantee: { enable: form.method === 'guaranteed' },
        redirectPreferences: {
          mode: form.comeBack === 'redirect' ? 'RedirectUri' : 'JsEvents',
          urlSuccess: `${orderUrl}?returned`,
          urlExit: `${orderUrl}?returned`,
        },
      },
      payor: { firstName, lastName, email, address },
    },
  };
}

/**
 * Returns a message for each invalid value. `field` is the form's field. It is absent if the shop itself set the value:
 * then the message has the value's path.
 */
export function problemsOf(failures: readonly ValidationFailure[], language: Language) {
  const { wrong, wanted } = TEXTS.buy;
  return failures.map(({ path, message }) => {
    const field = FIELDS.find((each) => path === `request.payor.${each.path}`)?.name;
    const name = field === undefined ? path : TEXTS.fields[field][language];
    const why = language === 'EN' ? message : wanted[field ?? 'other'];
    return { field, message: wrong[language](name, why) };
  });
}
