import type { Frame, Locator, Page } from 'playwright-core';

/** A payor in a real browser; each step waits for the page that it leads to. */
export class BrowserPayor {
  constructor(readonly view: Page | Frame) {}

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
    await this.sees('Your consent');
    await this.press('I agree');
  }

  async chooseBank(): Promise<void> {
    await this.sees('Choose your bank');
    await this.choose('Boreal Bank');
    await this.press('Continue');
  }

  async logIn(username = 'payor', password = 'sandbox'): Promise<void> {
    await this.sees('Log in to your bank');
    await this.view.getByLabel('Username').fill(username);
    await this.view.getByLabel('Password').fill(password);
    await this.press('Log in');
  }

  async chooseAccount(name: RegExp = /Everyday chequing/): Promise<void> {
    await this.sees('Choose an account');
    await this.choose(name);
    await this.press('Continue');
  }

  async confirmAmount(): Promise<void> {
    await this.sees('Confirm the amount');
    await this.press('Confirm');
  }

  async sign(): Promise<void> {
    await this.sees('Sign the pre-authorized debit agreement');
    await this.view.getByRole('checkbox').check();
    await this.view.getByLabel('Your full name').fill('Avery Tremblay');
    await this.press('Sign');
  }

  /** From the first page to the agreement. */
  async goToAgreement(): Promise<void> {
    await this.consent();
    await this.chooseBank();
    await this.logIn();
    await this.chooseAccount();
    await this.confirmAmount();
    await this.sees('Sign the pre-authorized debit agreement');
  }
}
