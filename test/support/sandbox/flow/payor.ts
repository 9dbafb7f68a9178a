import { expect } from '@jest/globals';
import { FORM, type Answer, type RequestBuilder, type Service } from '../requests-to-sandbox';

/** The fields of a form, by name. */
export type Fields = Readonly<Record<string, string>>;

/** A payor who uses the hosted flow without a browser, by reading pages and posting forms. */
export class HttpPayor {
  #page: Answer | undefined;

  constructor(
    readonly service: Service,
    readonly sessionId: string,
  ) {}

  get path(): string {
    return `/app/?sessionId=${this.sessionId}`;
  }

  /** The current page. */
  get page(): Answer {
    if (this.#page === undefined) throw new Error('the payor has opened no page');
    return this.#page;
  }

  get text(): string {
    return this.page.text;
  }

  get heading(): string {
    return textOf(/<h1>(.*?)<\/h1>/s.exec(this.text)?.[1] ?? '');
  }

  /** The error messages on the current page. */
  get problems(): readonly string[] {
    return [...this.text.matchAll(/<li><a href="#[a-z]+">(.*?)<\/a><\/li>/gs)].map(([, text = '']) =>
      textOf(text),
    );
  }

  get token(): string {
    return /name="token" value="([^"]*)"/.exec(this.text)?.[1] ?? '';
  }

  /** Returns the session’s status, code and amount, read from the API. */
  async state(): Promise<string> {
    const { status, statusDetails, amount } = (await this.service.status(this.sessionId)).body;
    return [status, statusDetails, amount].map(String).join(' ');
  }

  async open(): Promise<this> {
    this.#page = await this.service.send(this.path);
    return this;
  }

  /** Sends the form of the current page, and follows the redirect to the next page. */
  async submit(fields: Fields = {}): Promise<this> {
    const answer = await this.post({ token: this.token, action: 'continue', ...fields });
    this.#page = answer;
    return answer.status === 303 ? this.open() : this;
  }

  back(): Promise<this> {
    return this.submit({ action: 'back' });
  }

  leave(): Promise<this> {
    return this.submit({ action: 'leave' });
  }

  /** Posts any fields, without following the redirect. */
  post(fields: Fields | URLSearchParams): Promise<Answer> {
    const body = new URLSearchParams(fields).toString();
    return this.service.send(this.path, { method: 'POST', headers: FORM, body });
  }

  /** Fills in valid forms until the flow is at this step. */
  async goTo(step: StepName): Promise<this> {
    await this.open();
    for (const [name, fields] of GOOD_FORMS) {
      if (name === step) break;
      if (name === 'consent' && this.heading !== HEADINGS.consent) continue;
      await this.submit(fields);
    }
    expect(this.heading).toBe(HEADINGS[step]);
    return this;
  }
}

export const LOGIN = { username: 'payor', password: 'sandbox' };

export const SIGNED = { agreed: 'yes', signature: 'Avery Tremblay' };

export const HEADINGS = {
  consent: 'Your consent',
  institution: 'Choose your bank',
  login: 'Log in to your bank',
  account: 'Choose an account',
  amount: 'Confirm the amount',
  agreement: 'Sign the pre-authorized debit agreement',
} as const;

export type StepName = keyof typeof HEADINGS;

/** Valid entries for each step of the flow, in order. */
export const GOOD_FORMS: readonly (readonly [StepName, Fields])[] = [
  ['consent', {}],
  ['institution', { institution: 'boreal' }],
  ['login', LOGIN],
  ['account', { account: 'chequing' }],
  ['amount', {}],
  ['agreement', SIGNED],
];

/** Creates a session, and returns its payor. */
export async function payorOf(service: Service, request: RequestBuilder): Promise<HttpPayor> {
  return new HttpPayor(service, await service.open(request));
}

/** Returns the text of a piece of HTML. */
function textOf(markup: string): string {
  return markup
    .replace(/<[^>]*>/g, '')
    .replace(/&#(\d+);/g, (_entity, code: string) => String.fromCharCode(Number(code)))
    .replace(/\s+/g, ' ')
    .trim();
}
