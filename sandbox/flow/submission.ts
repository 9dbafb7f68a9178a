import type { FieldName, Submission } from './steps/decisions';

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

/** A posted form; a field that is there twice, or too long for its input, counts as missing. */
export function readSubmission(form: URLSearchParams): Submission & { readonly token: string } {
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
