import type { BrowserContext, Page } from 'playwright-core';
import type { FlowTexts } from '../../../../sandbox/flow/texts';
import { BrowserPayor } from '../../browser-payor';
import { complaintsOf } from '../../complaints';

/** A buyer who orders in the sample shop, and pays in the embedded flow. */
export class Buyer {
  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
    /** The browser’s complaints: blocked scripts and styles, failed loads, errors and dialogs. */
    readonly complaints: readonly string[],
  ) {}

  /** Opens a tab of the browser. */
  static async enter(browser: BrowserContext): Promise<Buyer> {
    const page = await browser.newPage();
    const complaints = complaintsOf(page);
    // Records all messages that reach the page, with their times, also those that the page ignores.
    await page.addInitScript(`
      window.messages = [];
      if (window === window.top) addEventListener('message', ({ data, origin }) =>
        window.messages.push({ data, origin, at: Date.now() }), true);
    `);
    return new Buyer(browser, page, complaints);
  }

  /** Orders with the given fields, and returns the order's id. */
  async order(
    shopUrl: string,
    fields: Readonly<Record<string, string>> = {},
    product = 'lamp',
  ): Promise<string> {
    await this.page.goto(`${shopUrl}/buy/${product}`);
    for (const [label, text] of Object.entries(fields)) {
      const field = this.page.getByLabel(label, { exact: true });
      await ((await field.getAttribute('type')) === 'radio' ? field.check() : field.fill(text));
    }
    await this.page.getByRole('button', { name: 'Order and pay' }).click();
    await this.page.waitForURL('**/orders/*');
    return new URL(this.page.url()).pathname.split('/').pop() ?? '';
  }

  /** Returns the payor in the embedded flow. `texts` are the flow’s texts in the payor’s language. @default English */
  async payor(texts?: FlowTexts): Promise<BrowserPayor> {
    const frame = await (await this.page.waitForSelector('iframe.paysession-checkout')).contentFrame();
    if (frame === null) throw new Error('the shop embeds nothing');
    return new BrowserPayor(frame, texts);
  }

  async sees(headline: string): Promise<void> {
    await this.page.getByRole('heading', { level: 2, name: headline }).waitFor();
  }

  async press(name: string): Promise<void> {
    await this.page.getByRole('button', { name, exact: true }).click();
  }

  async flowIsGone(): Promise<void> {
    await this.page.waitForSelector('iframe', { state: 'detached' });
  }
}
