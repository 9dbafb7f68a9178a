import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { EXAMPLE_BUYER, problemsOf, toSession } from '../../../examples/checkout/orders/form';
import { PRODUCTS } from '../../../examples/checkout/products';
import { createShop, UNPAID_SESSIONS } from '../../support/worlds/shop';

const ORDER = `/orders/shop-lamp-${'0'.repeat(18)}`;
const FRENCH = { 'accept-language': 'fr-CA,fr;q=0.9,en;q=0.8' };

let shop: ReturnType<typeof createShop>;
let url: string;

beforeAll(async () => {
  shop = createShop({ sessions: UNPAID_SESSIONS });
  ({ url } = await shop.listen());
});

afterAll(() => shop.close());

const read = async (path: string, headers: Record<string, string> = {}): Promise<string> =>
  (await fetch(url + path, { headers })).text();

describe('the sample shop’s language', () => {
  test.each([
    ['fr', 'Lampe de bureau'],
    ['de-DE,de;q=0.9,FR-CA;q=0.8,en;q=0.7', 'Lampe de bureau'],
    ['en-CA,en;q=0.9,fr;q=0.8', 'Desk lamp'],
    ['de-FR,de;q=0.9', 'Desk lamp'],
  ])('is what the browser prefers: %s', async (preferred, lamp) => {
    expect(await read('/', { 'accept-language': preferred })).toContain(lamp);
  });

  test('changes with a link on each page, and a cookie stores the choice', async () => {
    const page = await read(`${ORDER}?returned`);
    expect(page).toContain('<html lang="en-CA">');
    expect(page).toContain('href="?returned=&#38;language=FR"');
    const { headers } = await fetch(`${url}${ORDER}?returned=&language=FR`);
    const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';');
    expect(await read('/buy/lamp', { cookie, 'accept-language': 'en' })).toContain('<html lang="fr-CA">');
    expect(headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Lax$/);
    expect((await fetch(`${url}/?language=DE`)).headers.get('set-cookie')).toBeNull();
  });

  test('is the language of an order’s live state and of errors', async () => {
    const events = await fetch(`${url}${ORDER}/events`, { headers: FRENCH });
    const first = await events.body?.pipeThrough(new TextDecoderStream()).getReader().read();
    expect(first?.value).toContain('En attente de votre paiement');
    expect(await read('/nothing', FRENCH)).toContain('Il n’y a rien ici.');
    expect(await read('/nothing', { ...FRENCH, accept: 'application/json' })).toContain('Il n’y a rien ici.');
  });

  test('is the language in the session’s request, so the hosted flow and its mails use it', () => {
    const [product] = PRODUCTS;
    if (product === undefined) throw new Error('the shop sells nothing');
    const order = { orderId: 'order-1', product, form: EXAMPLE_BUYER, orderUrl: `${url}${ORDER}` };
    const { request } = toSession({ ...order, language: 'FR' });
    expect(request.options.notificationPreferences).toEqual({ language: 'FR' });
  });

  test('is the language of a form’s error messages', () => {
    const failures = [
      { path: 'request.payor.email', message: 'must be an email address' },
      { path: 'request.payor.address.city', message: 'must not be blank' },
      { path: 'request.amount', message: 'is required' },
    ];
    expect(problemsOf(failures, 'EN')).toEqual([
      { field: 'email', message: 'Email must be an email address' },
      { field: 'city', message: 'City must not be blank' },
      { message: 'request.amount is required' },
    ]);
    expect(problemsOf(failures, 'FR').map(({ message }) => message)).toEqual([
      'Courriel\u00a0: indiquez une adresse courriel, comme avery@example.com',
      'Ville\u00a0: à remplir, en 100 caractères au plus',
      'request.amount\u00a0: veuillez corriger',
    ]);
  });
});
