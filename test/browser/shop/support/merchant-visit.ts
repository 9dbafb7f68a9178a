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

/** A payor’s visit to the merchant’s page of one session. Tests also compare the states that the session’s workflow has recorded. */
export class MerchantVisit {
  constructor(readonly parts: VisitParts) {}

  get page(): Page {
    return this.parts.page;
  }

  /** Opens the merchant’s page again. */
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
   * Waits until the embed module has reported these ends of the flow to the page. Before each report, the merchant’s server has
   * refreshed the session. Expects that the page has received no other message.
   */
  async receivesEnds(...ends: readonly ('SUCCESS' | 'EXIT')[]): Promise<void> {
    await this.page.waitForFunction(`told.length >= ${ends.length}`);
    const origin = new URL(this.parts.checkoutUrl).origin;
    expect(await this.page.evaluate('heard')).toEqual(ends.map((Step) => ({ data: { Step }, origin })));
    expect(await this.page.evaluate('told')).toEqual(ends);
  }

  /** Waits until the window has returned to one of the merchant’s URLs. The merchant’s server has then refreshed the session. */
  async isBackAt(name: 'urlSuccess' | 'urlExit'): Promise<void> {
    await this.page.waitForURL(`${this.parts.url}/${name}`);
  }

  /** Expects that the workflow has recorded exactly these states. Returns the session’s current state. */
  async expectRecorded(...states: readonly string[]): Promise<SessionState> {
    const { sessions, key } = this.parts;
    expect(await recorded(sessions, key)).toEqual(states);
    return sessions.get(key).state();
  }
}
