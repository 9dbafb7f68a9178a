import errors from '../../dist/src/errors/index.js';
import exitCodes from '../../dist/cli/shared/exit-codes.js';
import { code, page, table } from './markdown.mjs';

const { ERROR_CODES, PaysessionError } = errors;

export const errorsPage = page(
  'Errors',
  'Match on `error.code`, never on the message: codes are permanent, messages are not. `isPaysessionError(error, code)` tells whether an error has a code. `InvalidRequestError`, `SessionConflictError`, `SessionNotFoundError`, `SettingsError`, `SessionFailedError` and `ServiceError` are all `PaysessionError`s. A workflow, an update or an activity that fails has the code as its failure’s type. `Exit code` is that of the command line.',
  table(
    Object.entries(ERROR_CODES).map(([name, row]) => ({ ...row, name })),
    [
      ['Code', ({ name }) => code(name)],
      ['Meaning', ({ meaning }) => meaning],
      ['What to do', ({ remedy }) => remedy],
      ['Repeated', ({ repeated }) => (repeated === true ? 'yes' : '')],
      ['Outage', ({ outage }) => outage],
      ['Nexus', ({ nexus }) => code(nexus)],
      ['Exit code', ({ name }) => exitCodes.exitCodeOf(new PaysessionError(name, ''))],
    ],
  ),
);

export const exitCodesPage = page(
  'Exit codes',
  'How the command line ends. The [errors](errors.md) say which exit code each has.',
  table(Object.entries(exitCodes.EXIT), [
    ['Exit code', ([, number]) => String(number)],
    ['Meaning', ([name]) => exitCodes.EXIT_MEANINGS[name]],
  ]),
);
