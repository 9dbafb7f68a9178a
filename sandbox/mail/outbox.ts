import { awaitsSignature, type SessionStatus } from '../../src/contract';
import { dropOldest } from '../../src/contract/values/drop-oldest';
import type { Drawer, Journal } from '../data/journal';
import { writeMail, type MailFacts, type MailKind, type SandboxMail } from './mail';
import type { SandboxSession } from '../sessions/session';

const KIND_OF_END: Readonly<Record<Exclude<SessionStatus, 'Initiated'>, MailKind>> = {
  Completed: 'completed',
  Failed: 'failed',
  Cancelled: 'cancelled',
  Expired: 'expired',
};

export interface OutboxOptions {
  readonly maxMails: number;
  /** Where a session's hosted flow is by now. */
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

  /** Mails are stored by number. */
  #restore(mails: ReadonlyMap<string, MailFacts>): void {
    this.#mails.clear();
    const oldestFirst = [...mails].map(([number, facts]) => [Number(number), facts] as const);
    oldestFirst.sort(([one], [other]) => one - other);
    for (const [number, facts] of oldestFirst) this.#keep(number, facts);
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
    { sessionId, referenceId, payor, options, state }: SandboxSession,
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
