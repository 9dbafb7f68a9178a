import type { AccountId, LoginId } from '../../sessions/banks';
import type { Problem } from '../steps/step-outcomes';
import type { FlowStep } from '../../sessions/flow-progress';

/** Every text of the flow, in one language. Amounts arrive as texts of that language. */
export interface FlowTexts {
  readonly payment: string;
  readonly deposit: string;
  readonly sandboxNote: string;
  readonly position: (step: number, steps: number) => string;
  readonly errorPrefix: string;
  readonly errorHeading: string;
  readonly outOfDate: string;
  readonly amount: string;
  readonly merchant: string;
  readonly reference: string;
  readonly toAccount: string;
  readonly fromAccount: string;
  readonly banks: string;
  readonly headings: Readonly<Record<FlowStep, string>>;
  readonly actions: {
    readonly agree: string;
    readonly continue: string;
    readonly logIn: string;
    readonly confirm: string;
    readonly accept: string;
    readonly acceptOffer: string;
    readonly otherAmount: string;
    readonly sign: string;
    readonly back: string;
    readonly leave: string;
    readonly signLater: string;
  };
  readonly problems: Readonly<Record<Problem['why'], (facts: ProblemFacts) => string>>;
  readonly consent: { readonly intro: string; readonly items: readonly string[]; readonly note: string };
  readonly login: {
    readonly intro: (bank: string) => string;
    readonly username: string;
    readonly password: string;
    readonly testLogins: string;
    readonly passwordIs: (password: string) => string;
    readonly anythingElse: string;
    readonly meanings: Readonly<Record<LoginId, string>>;
  };
  readonly account: {
    readonly legend: string;
    readonly names: Readonly<Record<AccountId, string>>;
    readonly available: (balance: string) => string;
  };
  readonly amounts: {
    /** Heading where the payor enters the amount. */
    readonly enter: string;
    readonly label: string;
    readonly bounds: (minimum: string, maximum: string) => string;
    readonly fixed: string;
    readonly guaranteed: string;
  };
  readonly offer: { readonly intro: (offer: string) => string };
  readonly agreement: {
    readonly terms: (account: string, amount: string) => readonly string[];
    readonly agreed: string;
    readonly signature: string;
    readonly signatureHint: string;
  };
  readonly results: {
    readonly success: string;
    readonly paid: (amount: string) => string;
    readonly deposited: (amount: string) => string;
    readonly failed: string;
    /** Why, by the session's code; e-Transfers have none (contract A46). */
    readonly reasons: Readonly<Record<string, string>>;
    readonly reasonUnknown: string;
    readonly left: string;
    readonly leftOpen: string;
    readonly leftToSign: string;
    readonly goBack: string;
    readonly canClose: string;
    readonly returning: string;
    readonly backToMerchant: string;
  };
  readonly over: string;
  readonly scenario: { readonly heading: string; readonly intro: (id: string) => string };
}

export interface ProblemFacts {
  readonly attemptsLeft: number;
  readonly minimum: string;
  readonly maximum: string;
}
