import type { SessionStatus } from '../src/contract';
import { BoundedList } from './bounded-list';
import type { SandboxSession } from './session';
import { isUnsigned } from './transitions';

export type MailKind = 'networkLink' | 'awaitingSignature' | 'completed' | 'failed' | 'cancelled' | 'expired';

/** A mail that the service would send to the payor (contract A45, A72). The sandbox sends none. */
export interface SandboxMail {
  readonly sessionId: string;
  readonly to: string;
  readonly language: 'EN' | 'FR';
  readonly kind: MailKind;
  readonly subject: string;
  /** The hosted flow, where there is still something to do in it. */
  readonly link?: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

const SUBJECTS: Readonly<Record<MailKind, Readonly<Record<'EN' | 'FR', string>>>> = {
  networkLink: { EN: 'You have a request for payment', FR: 'Vous avez une demande de paiement' },
  awaitingSignature: {
    EN: 'Sign your pre-authorized debit agreement',
    FR: 'Signez votre accord de débit préautorisé',
  },
  completed: { EN: 'Your payment is completed', FR: 'Votre paiement est effectué' },
  failed: { EN: 'Your payment could not be made', FR: 'Votre paiement n’a pas pu être effectué' },
  cancelled: { EN: 'Your payment was cancelled', FR: 'Votre paiement a été annulé' },
  expired: { EN: 'Your payment session has expired', FR: 'Votre session de paiement a expiré' },
};

const KIND_OF_END: Readonly<Record<Exclude<SessionStatus, 'Initiated'>, MailKind>> = {
  Completed: 'completed',
  Failed: 'failed',
  Cancelled: 'cancelled',
  Expired: 'expired',
};

/** The mails to payors, kept for tests and people to read. */
export class Outbox {
  readonly #mails: BoundedList<SandboxMail>;
  readonly #linkTo: (sessionId: string) => string;

  constructor(options: { readonly maxMails: number; readonly linkTo: (sessionId: string) => string }) {
    this.#mails = new BoundedList(options.maxMails);
    this.#linkTo = options.linkTo;
  }

  /** The request link, which the service mails itself only when it is asked to (contract A45). */
  created(session: SandboxSession): void {
    const { sendNetworkLink } = session.options.notificationPreferences;
    if (session.kind === 'e-Transfer' && sendNetworkLink) {
      this.#write(session, 'networkLink', session.state.createdAtMs);
    }
  }

  /** News of a new status or code (contract A72). */
  moved(before: SandboxSession, after: SandboxSession, atMs: number): void {
    const { status, code } = after.state;
    if (status === 'Initiated') return;
    if (status === before.state.status && code === before.state.code) return;
    this.#write(after, isUnsigned(after.state) ? 'awaitingSignature' : KIND_OF_END[status], atMs);
  }

  all(): readonly SandboxMail[] {
    return this.#mails.all();
  }

  #write({ sessionId, payor, options }: SandboxSession, kind: MailKind, atMs: number): void {
    const { language } = options.notificationPreferences;
    const hasLink = kind === 'networkLink' || kind === 'awaitingSignature';
    this.#mails.push({
      sessionId,
      to: payor.email,
      language,
      kind,
      subject: SUBJECTS[kind][language],
      ...(hasLink && { link: this.#linkTo(sessionId) }),
      at: new Date(atMs).toISOString(),
    });
  }
}
