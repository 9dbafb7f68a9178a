import type { FastifyRequest } from 'fastify';
import { readForm } from '../../web/bodies';
import type { SandboxConfig } from '../options/options';
import type { SandboxSession } from '../sessions/session';
import type { FormTokens } from './form-tokens';
import type { FieldName, Submission } from './steps/decisions';
import type { PostedForm } from './steps/visits';

export interface FormContext {
  readonly config: SandboxConfig;
  readonly formTokens: FormTokens;
}

const FIELDS: readonly (FieldName | 'password')[] = [
  'institution',
  'username',
  'password',
  'account',
  'amount',
  'agreed',
  'signature',
];

const MAX_FIELD_LENGTH = 200;

/** Reads the form that a request posts to a session; throws the 400 or 415 of a body that is no form. */
export function readPostedForm(
  request: FastifyRequest,
  session: SandboxSession,
  { config, formTokens }: FormContext,
): PostedForm {
  const form = readForm(request, config.wrongContentTypeStatus);
  const { token, ...submission } = readSubmission(form);
  return { submission, isCurrent: formTokens.fits(session, token) };
}

/** A field that is there twice, or too long for its input, counts as missing. */
function readSubmission(form: URLSearchParams): Submission & { readonly token: string } {
  const only = (name: string): string => {
    const [value = '', ...others] = form.getAll(name);
    return others.length === 0 && value.length <= MAX_FIELD_LENGTH ? value : '';
  };
  const fields = Object.fromEntries(FIELDS.map((name) => [name, only(name)]));
  const action = only('action');
  return {
    token: only('token'),
    action: action === 'back' || action === 'leave' ? action : 'continue',
    field: (name) => fields[name] ?? '',
  };
}
