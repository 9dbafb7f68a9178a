import type { SessionStatus } from '../src/contract';
import { BoundedList } from './bounded-list';
import { writeMail, type MailFacts, type MailKind, type SandboxMail } from './mail';
import type { SandboxSession } from './session';
import { isUnsigned } from './transitions';

const KIND_OF_END: Readonly<Record<Exclude<SessionStatus, 'Initiated'>, MailKind>> = {
  Completed: 'completed',
  Failed: 'failed',
  Cancelled: 'cancelled',
  Expired: 'expired',
};

/** The mails to payors, kept for tests and people to read. */
export class Outbox {
  readonly #mails: BoundedList<MailFacts>;
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
    return this.#mails.all().map((facts) => writeMail(facts, this.#linkOf(facts)));
  }

  #linkOf({ kind, sessionId }: MailFacts): string | undefined {
    const hasLink = kind === 'networkLink' || kind === 'awaitingSignature';
    return hasLink ? this.#linkTo(sessionId) : undefined;
  }

  #write(
    { sessionId, referenceId, payor, options, state }: SandboxSession,
    kind: MailKind,
    atMs: number,
  ): void {
    this.#mails.push({
      sessionId,
      to: payor.email,
      language: options.notificationPreferences.language,
      kind,
      at: new Date(atMs).toISOString(),
      firstName: payor.firstName,
      amount: state.amount,
      referenceId,
    });
  }
}
