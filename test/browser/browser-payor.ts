import type { Frame, Locator, Page } from 'playwright-core';
import { textsOf, type FlowTexts } from '../../sandbox/flow/texts';
import { LOGIN, SIGNED } from '../support/sandbox/flow/payor';
import type { Problem } from '../../sandbox/flow/steps';

/** A payor who uses the hosted flow in a real browser, in one language. Each method first waits for the page of its step. */
export class BrowserPayor {
  constructor(
    readonly view: Page | Frame,
    readonly texts: FlowTexts = textsOf('EN'),
  ) {}

  heading(name: string | RegExp): Locator {
    return this.view.getByRole('heading', { level: 1, name });
  }

  async sees(name: string): Promise<void> {
    await this.heading(name).waitFor();
  }

  async press(name: string): Promise<void> {
    await this.view.getByRole('button', { name, exact: true }).click();
  }

  async choose(name: RegExp | string): Promise<void> {
    await this.view.getByRole('radio', { name }).check();
  }

  async consent(): Promise<void> {
    await this.sees(this.texts.headings.consent);
    await this.press(this.texts.actions.agree);
  }

  async chooseBank(): Promise<void> {
    await this.sees(this.texts.headings.institution);
    await this.choose('Boreal Bank');
    await this.press(this.texts.actions.continue);
  }

  async logIn(username: string = LOGIN.username, password: string = LOGIN.password): Promise<void> {
    await this.sees(this.texts.headings.login);
    await this.view.getByLabel(this.texts.login.username).fill(username);
    await this.view.getByLabel(this.texts.login.password).fill(password);
    await this.press(this.texts.actions.logIn);
  }

  async chooseAccount(name: RegExp | string = this.texts.account.names.chequing): Promise<void> {
    await this.sees(this.texts.headings.account);
    await this.choose(name);
    await this.press(this.texts.actions.continue);
  }

  async confirmAmount(): Promise<void> {
    await this.sees(this.texts.headings.amount);
    await this.press(this.texts.actions.confirm);
  }

  /** Enters an amount, and confirms it. */
  async enterAmount(amount: string): Promise<void> {
    await this.view.getByLabel(this.texts.amounts.label).fill(amount);
    await this.press(this.texts.actions.confirm);
  }

  /** Chooses the account of an e-Transfer, and accepts. */
  async accept(name: string = this.texts.account.names.chequing): Promise<void> {
    await this.sees(this.texts.headings.accept);
    await this.choose(name);
    await this.press(this.texts.actions.accept);
  }

  async sign(): Promise<void> {
    await this.sees(this.texts.headings.agreement);
    await this.view.getByRole('checkbox').check();
    await this.view.getByLabel(this.texts.agreement.signature).fill(SIGNED.signature);
    await this.press(this.texts.actions.sign);
  }

  /** Waits until the page shows this error message. */
  async seesProblem(
    why: Problem['why'],
    facts = { attemptsLeft: 0, minimum: '', maximum: '' },
  ): Promise<void> {
    await this.view.getByRole('alert').getByText(this.texts.problems[why](facts), { exact: true }).waitFor();
  }

  /** Goes from the first page to the agreement. */
  async goToAgreement(): Promise<void> {
    await this.consent();
    await this.chooseBank();
    await this.logIn();
    await this.chooseAccount();
    await this.confirmAmount();
    await this.sees(this.texts.headings.agreement);
  }
}
