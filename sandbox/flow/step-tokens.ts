import { randomBytes } from 'node:crypto';
import { FormTokens } from '../../web/forms';
import type { Journal } from '../data/journal';
import { singleRecord } from '../data/single-record';
import type { SandboxSession } from '../sessions/session';
import { stepOf } from './steps/steps';

/**
 * Tokens of the flow's forms. A token names the session, its step and its revision, so that a form works once, there and
 * then: a repeated, skipped or stale one is told by its token.
 */
export class StepTokens {
  #tokens: FormTokens;

  /** The key is kept, in base64, so that forms that were shown before a restart are good after it. */
  constructor(journal: Journal) {
    const fresh = randomBytes(32);
    this.#tokens = new FormTokens(fresh);
    const record = singleRecord<string>(journal, 'formKey', (key) => {
      if (key === undefined) record.put(fresh.toString('base64'));
      else this.#tokens = new FormTokens(Buffer.from(key, 'base64'));
    });
  }

  of(session: SandboxSession): string {
    return this.#tokens.of(subjectOf(session));
  }

  fits(session: SandboxSession, token: string): boolean {
    return this.#tokens.fits(subjectOf(session), token);
  }
}

const subjectOf = (session: SandboxSession): string =>
  [session.sessionId, stepOf(session), session.flow.revision].join(' ');
