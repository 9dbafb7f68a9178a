import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Journal } from '../data/journal';
import { singleRecord } from '../data/single-record';
import type { SandboxSession } from '../sessions/session';
import { stepOf } from './steps/steps';

/**
 * Tokens of the flow's forms. A token names the session, its step and its revision, so that a form works once, there and
 * then: a repeated, skipped or stale one is told by its token. No one else can make them, so no other site can post.
 */
export class FormTokens {
  #key = randomBytes(32);

  /** The key is kept, in base64, so that forms that were shown before a restart are good after it. */
  constructor(journal: Journal) {
    const record = singleRecord<string>(journal, 'formKey', (key) => {
      if (key === undefined) record.put(this.#key.toString('base64'));
      else this.#key = Buffer.from(key, 'base64');
    });
  }

  of(session: SandboxSession): string {
    return this.#digest(session).toString('base64url');
  }

  fits(session: SandboxSession, token: string): boolean {
    const given = Buffer.from(token, 'base64url');
    const expected = this.#digest(session);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  #digest(session: SandboxSession): Buffer {
    const subject = [session.sessionId, stepOf(session), session.flow.revision].join(' ');
    return createHmac('sha256', this.#key).update(subject).digest();
  }
}
