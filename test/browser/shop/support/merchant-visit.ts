import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { PaymentSessions, SessionState } from '../../../../src';
import type { FlowTexts } from '../../../../sandbox/flow/texts';
import { BrowserPayor } from '../../browser-payor';
import { recorded } from './recorded';

/** The first state of a regular or guaranteed EFT session: status, code and source. */
export const OPENED = 'Initiated EFT0101 create';

interface VisitParts {
  readonly sessions: PaymentSessions;
  readonly key: string;
  readonly url: string;
  readonly checkoutUrl: string;
  readonly page: Page;
  readonly texts: FlowTexts | undefined;
}

/** A payor at a merchant's page, and the workflow's record of the session. */
export class MerchantVisit {
  constructor(readonly parts: VisitParts) {}

  get page(): Page {
    return this.parts.page;
  }

  /** Opens the merchant's page again, from wherever the window is. */
  async reopen(): Promise<void> {
    await this.page.goto(this.parts.url);
  }

  /** Returns the payor in the embedded flow. */
  async payor(): Promise<BrowserPayor> {
    const frame = await (await this.page.waitForSelector('iframe.paysession-checkout')).contentFrame();
    if (frame === null) throw new Error('the merchant’s page embeds nothing');
    return new BrowserPayor(frame, this.parts.texts);
  }

  /**
   * Waits until the page has received that many ends, each after its server has refreshed the session. Expects them
   * and no other message.
   */
  async isTold(...ends: readonly ('SUCCESS' | 'EXIT')[]): Promise<void> {
    await this.page.waitForFunction(`told.length >= ${ends.length}`);
    const origin = new URL(this.parts.checkoutUrl).origin;
    expect(await this.page.evaluate('heard')).toEqual(ends.map((Step) => ({ data: { Step }, origin })));
    expect(await this.page.evaluate('told')).toEqual(ends);
  }

  /** Waits until the whole window is at one of the merchant's URLs, whose answer has refreshed the session. */
  async isBackAt(name: 'urlSuccess' | 'urlExit'): Promise<void> {
    await this.page.waitForURL(`${this.parts.url}/${name}`);
  }

  /** Expects the workflow's record from the first state on, and returns the last state. */
  async expectRecorded(...states: readonly string[]): Promise<SessionState> {
    const { sessions, key } = this.parts;
    expect(await recorded(sessions, key)).toEqual(states);
    return sessions.get(key).state();
  }
}
