import type { SessionCode } from '../../../src/contract';
import type { SessionProblem } from '../../../src/protocol/state/problems';
import type { CancelOutcome, Decision, StateSource } from '../../../src/protocol/state/recorded';
import type { Explained } from '../../errors/explained';
import type { ActName } from '../acts/acts';
import type { Standing } from '../../../src/protocol/state/standing';

export interface ActTexts {
  /** On the button that leads to the confirmation. */
  readonly name: string;
  /** The question that the confirmation asks. */
  readonly question: string;
  /** On the button that does it. */
  readonly confirm: string;
  /** What to put into the field for the reason, as an example. */
  readonly hint: string;
  /** What it was, in the past: before `outcomes`. */
  readonly done: string;
}

export interface Texts {
  readonly title: (key: string) => string;
  /** With the space before it that a language has. */
  readonly colon: string;
  readonly facts: Readonly<
    Record<
      | 'amount'
      | 'payorEnters'
      | 'kind'
      | 'reference'
      | 'account'
      | 'paid'
      | 'yes'
      | 'no'
      | 'started'
      | 'ended'
      | 'sessionId'
      | 'unknown'
      | 'none'
      | 'masked',
      string
    >
  >;
  readonly kinds: Readonly<Record<'EFT' | 'GEFT' | 'e-Transfer', string>>;
  readonly sections: Readonly<Record<'standing' | 'todo' | 'timeline' | 'request' | 'links', string>>;
  readonly standings: Readonly<Record<Standing, { readonly badge: string; readonly meaning: string }>>;
  readonly codes: Readonly<Record<SessionCode, string>>;
  readonly nothingToDo: Explained;
  /** In its place where nobody can tell. */
  readonly notKnownNow: Explained;
  readonly problems: Readonly<Record<SessionProblem, Explained>>;
  readonly silence: Readonly<
    Record<'engine' | 'worker' | 'locked', { readonly heading: string; readonly body: string }>
  >;
  /** The acts that need who is lost. */
  readonly notNow: Readonly<Record<'engine' | 'worker', (acts: string) => string>>;
  readonly asOfBefore: string;
  readonly failedCalls: (count: number) => string;
  readonly timeline: {
    readonly columns: readonly [string, string, string];
    readonly started: string;
    readonly over: string;
    readonly nextCall: string;
    readonly seen: string;
    readonly sources: Readonly<Record<StateSource, string>>;
    readonly cancel: string;
    readonly cancelBy: Readonly<Record<'caller' | 'deadline', string>>;
    readonly trouble: string;
    readonly anomaly: string;
    readonly decision: string;
    readonly by: (name: string) => string;
    readonly reason: (reason: string) => string;
    readonly unreadableCode: string;
  };
  readonly cadence: {
    readonly every: (duration: string) => string;
    readonly notOpen: string;
    readonly over: string;
    readonly unknown: string;
  };
  readonly decisions: Readonly<Record<Decision['decision'], string>>;
  /** What became of a cancel. */
  readonly outcomes: Readonly<Record<CancelOutcome, string>>;
  readonly pending: string;
  readonly applied: string;
  /** A cancel of a session that waits for a decision. */
  readonly cancelKept: string;
  /** After a decision that the session did not carry out. */
  readonly staysParked: string;
  readonly request: {
    readonly columns: readonly [string, string];
    readonly explained: string;
    readonly reveal: string;
    readonly revealed: string;
    readonly notKept: string;
    readonly locked: string;
    readonly notAnInput: string;
    readonly notRead: string;
    readonly serviceSaid: string;
  };
  readonly links: Readonly<Record<'temporal' | 'checkout', string>>;
  readonly acts: Readonly<Record<ActName, ActTexts>>;
  /** What a cancel leads to, by where the session stands. */
  readonly cancelConsequence: Readonly<Record<'creating' | 'parked' | 'open' | 'unsigned' | 'over', string>>;
  readonly consequences: Readonly<Record<Exclude<ActName, 'cancel'>, string>>;
  readonly form: Readonly<
    Record<
      'follows' | 'reason' | 'sessionId' | 'sessionIdHint' | 'back' | 'reasonMissing' | 'sessionIdWrong',
      string
    >
  > & { readonly example: (text: string) => string };
}
