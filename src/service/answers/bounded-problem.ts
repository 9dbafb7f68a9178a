import type { ProblemDetails } from '../../contract';
import { readProblem } from './reading';

/** Problem details are kept in workflow histories, so their texts and entries are bounded. */
const MAX_TEXT = 500;
const MAX_FIELDS = 20;
const MAX_MESSAGES = 3;

/** Reads the problem details of an answer (contract A70) and cuts them to the bounds. */
export function readBoundedProblem(body: unknown): ProblemDetails | undefined {
  const problem = readProblem(body);
  if (problem === undefined) return undefined;
  const members = Object.entries(problem).map(([name, value]) => [
    name,
    typeof value === 'string' ? cut(value) : value,
  ]);
  return {
    ...(Object.fromEntries(members) as ProblemDetails),
    ...(problem.errors !== undefined && { errors: cutErrors(problem.errors) }),
  };
}

function cutErrors(errors: NonNullable<ProblemDetails['errors']>): ProblemDetails['errors'] {
  const fields = Object.entries(errors).slice(0, MAX_FIELDS);
  return Object.fromEntries(
    fields.map(([path, messages]) => [cut(path), messages.slice(0, MAX_MESSAGES).map(cut)]),
  );
}

/** Cuts between characters, so that no half of a surrogate pair is left at the end. */
function cut(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  return `${text.slice(0, MAX_TEXT - 1).replace(/\p{Surrogate}$/u, '')}…`;
}
