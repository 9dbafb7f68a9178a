import problems from '../../dist/src/protocol/state/problems.js';
import { code, page, table } from './markdown.mjs';

export const problemsPage = page(
  'Problems',
  'What of a session a person may have to act on: the values of the search attribute `PaymentSessionProblem`, and what `paysession list --problem` takes. A session that failed has its [error code](errors.md) there, too. `Kept`: whether the problem stays with the session when it is over.',
  table(
    Object.entries(problems.PROBLEMS).map(([name, row]) => ({ ...row, name })),
    [
      ['Problem', ({ name }) => code(name)],
      ['Meaning', ({ meaning }) => meaning],
      ['What to do', ({ remedy }) => remedy],
      ['Kept', ({ kept }) => (kept ? 'yes' : 'no')],
    ],
  ),
);
