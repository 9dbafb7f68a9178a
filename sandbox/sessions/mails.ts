import { awaitsSignature, type SessionStatus } from '../../src/contract';
import { dropOldest } from '../../src/contract/values/drop-oldest';
import type { Drawer, Journal } from '../journal';
import type { SandboxSession } from './session';
import { formatMoney, type Language } from '../../src/web/language';

/** The occasion of a mail to the payor. */
export type MailKind = 'networkLink' | 'awaitingSignature' | 'completed' | 'failed' | 'cancelled' | 'expired';

/** A mail that the service would send to the payor (contract rules A45, A72 in docs/contract.md). The sandbox sends none. */
export interface SandboxMail {
  /** The session that the mail is about. */
  readonly sessionId: string;
  /** The payor's email address. */
  readonly to: string;
  /** The language of the mail: the request's `language`, or `EN`. */
  readonly language: 'EN' | 'FR';
  /** The occasion of the mail. */
  readonly kind: MailKind;
  /** The subject line. */
  readonly subject: string;
  /** The mail itself, in plain text. */
  readonly text: string;
  /** URL of the hosted flow, if the mail asks the payor to open it. */
  readonly link?: string;
  /** The time of the mail; ISO 8601, UTC. */
  readonly at: string;
}

/** The stored facts of a mail. The mail is written from them each time it is read, so its link is always the hosted flow's current URL. */
interface MailFacts extends Pick<SandboxMail, 'sessionId' | 'to' | 'language' | 'kind' | 'at'> {
  readonly firstName: string;
  readonly direction: SandboxSession['direction'];
  /** Dollars. */
  readonly amount: number | null;
  readonly referenceId: string | null;
}

const KIND_OF_END: Readonly<Record<Exclude<SessionStatus, 'Initiated'>, MailKind>> = {
  Completed: 'completed',
  Failed: 'failed',
  Cancelled: 'cancelled',
  Expired: 'expired',
};

export interface OutboxOptions {
  readonly maxMails: number;
  /** Returns the current URL of a session's hosted flow. */
  readonly linkTo: (sessionId: string) => string;
  readonly journal: Journal;
}

/** The mails to payors, kept for tests and people to read, in the order in which they were written. */
export class Outbox {
  readonly #mails = new Map<number, MailFacts>();
  readonly #options: OutboxOptions;
  readonly #drawer: Drawer<MailFacts>;
  #lastNumber = 0;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#drawer = options.journal.drawer('mail/', (mails) => {
      this.#restore(mails);
    });
  }

  /** Restores the mails in the order of their numbers, under which they are stored. */
  #restore(mails: ReadonlyMap<string, MailFacts>): void {
    this.#mails.clear();
    const oldestFirst = [...mails].map(([number, facts]) => [Number(number), facts] as const);
    oldestFirst.sort(([one], [other]) => one - other);
    for (const [number, facts] of oldestFirst) this.#keep(number, facts);
  }

  /** Writes the mail with the link of a new e-Transfer, if its request asks for that mail (contract A45). */
  created(session: SandboxSession): void {
    const { sendNetworkLink } = session.options.notificationPreferences;
    if (session.kind === 'e-Transfer' && sendNetworkLink) {
      this.#write(session, 'networkLink', session.state.createdAtMs);
    }
  }

  /** Writes the mail of a new status or code (contract A72). */
  moved(before: SandboxSession, after: SandboxSession, atMs: number): void {
    const { status, code } = after.state;
    if (status === 'Initiated') return;
    if (status === before.state.status && code === before.state.code) return;
    this.#write(after, awaitsSignature(after.state) ? 'awaitingSignature' : KIND_OF_END[status], atMs);
  }

  clear(): void {
    for (const number of this.#mails.keys()) this.#drawer.remove(String(number));
    this.#mails.clear();
  }

  all(): readonly SandboxMail[] {
    return [...this.#mails.values()].map((facts) => writeMail(facts, this.#linkOf(facts)));
  }

  #linkOf({ kind, sessionId }: MailFacts): string | undefined {
    const hasLink = kind === 'networkLink' || kind === 'awaitingSignature';
    return hasLink ? this.#options.linkTo(sessionId) : undefined;
  }

  #write(
    { sessionId, referenceId, direction, payor, options, state }: SandboxSession,
    kind: MailKind,
    atMs: number,
  ): void {
    const facts: MailFacts = {
      sessionId,
      to: payor.email,
      language: options.notificationPreferences.language,
      kind,
      at: new Date(atMs).toISOString(),
      firstName: payor.firstName,
      direction,
      amount: state.amount,
      referenceId,
    };
    const number = this.#lastNumber + 1;
    this.#keep(number, facts);
    this.#drawer.put(String(number), facts);
  }

  #keep(number: number, facts: MailFacts): void {
    this.#lastNumber = number;
    this.#mails.set(number, facts);
    const dropped = dropOldest(this.#mails, this.#options.maxMails);
    if (dropped !== undefined) this.#drawer.remove(String(dropped));
  }
}

/** The subject and the news of a mail. `ofAmount` is “ of $25.00 CAD”, or empty if there is no amount. */
interface News {
  readonly subject: string;
  readonly news: (ofAmount: string) => string;
}

interface MailTexts {
  readonly greeting: (firstName: string) => string;
  readonly payment: Readonly<Record<MailKind, News>>;
  /** Texts for a `CREDIT`, which pays the payor. Only an EFT awaits a signature, and no EFT is a `CREDIT` (contract A11). */
  readonly deposit: Readonly<Record<Exclude<MailKind, 'awaitingSignature'>, News>>;
  readonly ofAmount: (money: string) => string;
  readonly reference: (referenceId: string) => string;
}

const EN: MailTexts = {
  greeting: (firstName) => `Hello ${firstName},`,
  payment: {
    networkLink: {
      subject: 'You have a request for payment',
      news: (ofAmount) => `You have a request for a payment${ofAmount}. To answer it, open:`,
    },
    awaitingSignature: {
      subject: 'Sign your pre-authorized debit agreement',
      news: (ofAmount) =>
        `Your bank account is validated. To sign the agreement for your payment${ofAmount}, open:`,
    },
    completed: {
      subject: 'Your payment is complete',
      news: (ofAmount) => `Your payment${ofAmount} is complete. There is nothing left to do.`,
    },
    failed: {
      subject: 'Your payment could not be made',
      news: (ofAmount) => `Your payment${ofAmount} could not be made. No money was moved.`,
    },
    cancelled: {
      subject: 'Your payment was cancelled',
      news: (ofAmount) => `Your payment${ofAmount} was cancelled. No money was moved.`,
    },
    expired: {
      subject: 'Your payment session has expired',
      news: (ofAmount) => `Your payment${ofAmount} was not completed in time. No money was moved.`,
    },
  },
  deposit: {
    networkLink: {
      subject: 'You have been sent a deposit',
      news: (ofAmount) => `You have been sent a deposit${ofAmount}. To accept it, open:`,
    },
    completed: {
      subject: 'Your deposit is complete',
      news: (ofAmount) => `Your deposit${ofAmount} is complete. There is nothing left to do.`,
    },
    failed: {
      subject: 'Your deposit could not be made',
      news: (ofAmount) => `Your deposit${ofAmount} could not be made. No money was moved.`,
    },
    cancelled: {
      subject: 'Your deposit was cancelled',
      news: (ofAmount) => `Your deposit${ofAmount} was cancelled. No money was moved.`,
    },
    expired: {
      subject: 'Your deposit has expired',
      news: (ofAmount) => `Your deposit${ofAmount} was not accepted in time. No money was moved.`,
    },
  },
  ofAmount: (money) => ` of ${money}`,
  reference: (referenceId) => `Reference: ${referenceId}`,
};

const FR: MailTexts = {
  greeting: (firstName) => `Bonjour ${firstName},`,
  payment: {
    networkLink: {
      subject: 'Vous avez reçu une demande de paiement',
      news: (ofAmount) => `Vous avez reçu une demande de paiement${ofAmount}. Pour y répondre, ouvrez :`,
    },
    awaitingSignature: {
      subject: 'Signez votre accord de débit préautorisé',
      news: (ofAmount) =>
        `Votre compte bancaire est validé. Pour signer l’accord de votre paiement${ofAmount}, ouvrez :`,
    },
    completed: {
      subject: 'Votre paiement est effectué',
      news: (ofAmount) => `Votre paiement${ofAmount} est effectué. Vous n’avez plus rien à faire.`,
    },
    failed: {
      subject: 'Votre paiement n’a pas pu être effectué',
      news: (ofAmount) =>
        `Votre paiement${ofAmount} n’a pas pu être effectué. Aucune somme n’a été transférée.`,
    },
    cancelled: {
      subject: 'Votre paiement a été annulé',
      news: (ofAmount) => `Votre paiement${ofAmount} a été annulé. Aucune somme n’a été transférée.`,
    },
    expired: {
      subject: 'Votre session de paiement a expiré',
      news: (ofAmount) =>
        `Votre paiement${ofAmount} n’a pas été effectué à temps. Aucune somme n’a été transférée.`,
    },
  },
  deposit: {
    networkLink: {
      subject: 'Un dépôt vous a été envoyé',
      news: (ofAmount) => `Un dépôt${ofAmount} vous a été envoyé. Pour l’accepter, ouvrez :`,
    },
    completed: {
      subject: 'Votre dépôt est effectué',
      news: (ofAmount) => `Votre dépôt${ofAmount} est effectué. Vous n’avez plus rien à faire.`,
    },
    failed: {
      subject: 'Votre dépôt n’a pas pu être effectué',
      news: (ofAmount) => `Votre dépôt${ofAmount} n’a pas pu être effectué. Aucune somme n’a été transférée.`,
    },
    cancelled: {
      subject: 'Votre dépôt a été annulé',
      news: (ofAmount) => `Votre dépôt${ofAmount} a été annulé. Aucune somme n’a été transférée.`,
    },
    expired: {
      subject: 'Votre dépôt a expiré',
      news: (ofAmount) =>
        `Votre dépôt${ofAmount} n’a pas été accepté à temps. Aucune somme n’a été transférée.`,
    },
  },
  ofAmount: (money) => ` de ${money}`,
  reference: (referenceId) => `Référence : ${referenceId}`,
};

const TEXTS: Readonly<Record<Language, MailTexts>> = { EN, FR };

function newsOf({ language, kind, direction }: MailFacts): News {
  const { payment, deposit } = TEXTS[language];
  return direction === 'CREDIT' && kind !== 'awaitingSignature' ? deposit[kind] : payment[kind];
}

/** Returns the mail in its language (contract A72). The texts are plain: code that shows them in a page must escape them. */
function writeMail(facts: MailFacts, link: string | undefined): SandboxMail {
  const { sessionId, to, language, kind, at, firstName, amount, referenceId } = facts;
  const texts = TEXTS[language];
  const { subject, news } = newsOf(facts);
  const ofAmount = amount === null ? '' : texts.ofAmount(formatMoney(amount, language));
  const paragraphs = [
    texts.greeting(firstName),
    [news(ofAmount), link].filter((line) => line !== undefined).join('\n'),
    ...(referenceId === null ? [] : [texts.reference(referenceId)]),
  ];
  return {
    sessionId,
    to,
    language,
    kind,
    subject,
    text: `${paragraphs.join('\n\n')}\n`,
    ...(link !== undefined && { link }),
    at,
  };
}
