import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { stepOf, type Submission } from './steps';
import type { Journal } from '../journal';
import type { SandboxConfig } from '../options';
import type { SandboxSession } from '../sessions/session';
import { readForm } from '../../src/web/bodies';
import { FormTokens } from '../../src/web/guards';

/** A form that a payor has sent. */
export interface PostedForm {
  readonly submission: Submission;
  /** True if the form belongs to the session's present step and has not been used yet. */
  readonly isCurrent: boolean;
}

interface FormContext {
  readonly config: Pick<SandboxConfig, 'wrongContentTypeStatus'>;
  readonly formTokens: StepTokens;
}

const MAX_FIELD_LENGTH = 200;

/** Reads the form that a request posts to a session. Throws a 400 or 415 if the body is invalid. */
export function readPostedForm(
  request: FastifyRequest,
  session: SandboxSession,
  { config, formTokens }: FormContext,
): PostedForm {
  const form = readForm(request, config.wrongContentTypeStatus);
  const { token, ...submission } = readSubmission(form);
  return { submission, isCurrent: formTokens.fits(session, token) };
}

/** Reads the fields of a form. A field that is repeated, or too long for its input, counts as missing. */
function readSubmission(form: URLSearchParams): Submission & { readonly token: string } {
  const only = (name: string): string => {
    const [value = '', ...others] = form.getAll(name);
    return others.length === 0 && value.length <= MAX_FIELD_LENGTH ? value : '';
  };
  const action = only('action');
  return {
    token: only('token'),
    action: action === 'back' || action === 'leave' ? action : 'continue',
    field: only,
  };
}

/**
 * Tokens of the flow's forms. A token belongs to a session, its step and its revision (a count of the payor's submissions). So each form
 * works once, and only in its step. A repeated, skipped or outdated form has a token that does not match.
 */
export class StepTokens {
  #tokens: FormTokens;

  /** Keeps the key of the tokens in the data folder, if there is one, so that forms stay valid after a restart. */
  constructor(journal: Journal) {
    const fresh = randomBytes(32);
    this.#tokens = new FormTokens(fresh);
    const record = journal.record<string>('formKey', (key) => {
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
