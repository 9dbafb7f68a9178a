/**
 * Takes the pictures of the hosted flow and of the sample shop for the documents. It uses the built code: run `npm run build`, and then
 * `node scripts/screenshot-flow.mjs`. Needs Chromium or Chrome on PATH.
 */
import { createRequire } from 'node:module';
import { emptyFolder, shoot, startBrowser, PAYOR } from './screenshot-browser.mjs';

const load = createRequire(import.meta.url);
const { createSandbox } = load('../dist/sandbox/index.js');
const { DEFAULT_CLIENT } = load('../dist/sandbox/default-client.js');
const { PaymentService } = load('../dist/src/service/index.js');
const { startStack } = load('../dist/cli/shared/stack.js');
const { serveShop } = load('../dist/cli/commands/dev/serve-shop.js');

const PHONE = { width: 360, height: 240 };
const SHOP = { width: 900, height: 600 };

const GEFT = {
  type: 'EFT',
  direction: 'DEBIT',
  referenceId: 'order-1042',
  options: { guarantee: { enable: true } },
  payor: PAYOR,
  payee: { account: { accountNumber: '0001234567', transitNumber: '00011', institutionCode: '002' } },
  accountLabel: 'Sales account',
};

const E_TRANSFER = {
  type: 'e-Transfer',
  direction: 'DEBIT',
  amount: 25,
  referenceId: 'invoice-7',
  options: {
    guarantee: { enable: false },
    showConsentScreen: false,
    notificationPreferences: { language: 'FR', sendNetworkLink: true },
  },
  payor: PAYOR,
};

const choose = (name, value) => (page) => page.check(`[name=${name}][value=${value}]`);
const type = (fields) => async (page) => {
  for (const [name, text] of Object.entries(fields)) await page.fill(`[name=${name}]`, text);
};
const LOGIN = type({ username: 'payor', password: 'sandbox' });

/**
 * The steps of each session. A step is the picture's name and the payor's next act on the page. A third value, true, adds a picture in dark
 * colours.
 */
const STORIES = [
  [
    GEFT,
    [
      ['consent'],
      ['institution', choose('institution', 'boreal')],
      ['login', LOGIN],
      ['account', choose('account', 'chequing'), true],
      ['amount', type({ amount: '700' })],
      ['offer'],
      [
        'agreement',
        async (page) => {
          await page.check('[name=agreed]');
          await type({ signature: 'Avery Tremblay' })(page);
        },
      ],
      ['success'],
    ],
  ],
  [
    E_TRANSFER,
    [
      [undefined, choose('institution', 'fleuve')],
      [undefined, LOGIN],
      [undefined],
      ['e-transfer-french', choose('account', 'student')],
      ['failed-french'],
    ],
  ],
];

async function play({ page, folder }, url, steps) {
  await page.goto(url);
  for (const [name, act, isAlsoDark = false] of steps) {
    await act?.(page);
    if (name !== undefined) await shoot(page, folder, name);
    if (isAlsoDark) await shootInTheDark(page, folder, name);
    const next = page.locator('[value=continue]');
    if ((await next.count()) > 0) await Promise.all([page.waitForNavigation(), next.click()]);
  }
}

async function shootInTheDark(page, folder, name) {
  await page.emulateMedia({ colorScheme: 'dark' });
  await shoot(page, folder, `${name}-dark`);
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Takes a picture of a shop's order page with the hosted flow in it. */
async function shootShop(browser, folder) {
  const stack = await startStack();
  const shop = await serveShop(stack, 0, () => undefined);
  try {
    const page = await browser.newPage({ viewport: SHOP });
    await page.goto(`${shop.url}/buy/lamp`);
    await page.getByRole('button', { name: 'Order and pay' }).click();
    const flow = page.frameLocator('iframe');
    await flow.getByRole('button', { name: 'I agree' }).click();
    await flow.getByText('Boreal Bank').click();
    await shoot(page, folder, 'shop');
  } finally {
    await shop.close();
    await stack.stop();
  }
}

async function main() {
  const folder = await emptyFolder('flow');
  const sandbox = createSandbox({ clients: [{ ...DEFAULT_CLIENT, displayName: 'Maple Shop' }] });
  const { url } = await sandbox.listen();
  const { clientId, clientSecret } = DEFAULT_CLIENT;
  const service = new PaymentService({ account: { baseUrl: url, clientId, clientSecret } });
  const browser = await startBrowser();
  try {
    const page = await browser.newPage({ viewport: PHONE });
    for (const [request, steps] of STORIES) {
      const created = await service.createSession(request);
      if (created.outcome !== 'created') throw new Error(created.failure.message);
      await play({ page, folder }, created.checkoutUrl, steps);
    }
    await page.goto(`${url}/app/?sessionId=none`);
    await shoot(page, folder, 'over');
    await shootShop(browser, folder);
  } finally {
    await browser.close();
    await service.close();
    await sandbox.close();
  }
}

await main();
