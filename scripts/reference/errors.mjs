import errors from '../../dist/src/errors/index.js';
import exitCodes from '../../dist/cli/shared/exit-codes.js';
import { code, page, table } from './markdown.mjs';

const { ERROR_CODES, PaysessionError } = errors;

const OUTAGE = { yes: 'yes', no: 'no', unlessSlow: 'unless it only timed out', unclear: 'does not count' };

export const errorsPage = page(
  'Errors',
  'Match on `error.code`, never on the message: codes are permanent, messages are not. `isPaysessionError(error, code)` tells whether an error has a code. `InvalidRequestError`, `SessionConflictError`, `SessionNotFoundError`, `SettingsError`, `SessionFailedError` and `ServiceError` are all `PaysessionError`s. A workflow, an update or an activity that fails has the code as its failure’s type. `explain(error)` words an error for a person. `Retried`: whether the worker retries a call that fails with it; a create request that the service refuses is final all the same. `Outage`: whether such a failure counts towards pausing the account’s calls. `Nexus`: the type of the `HandlerError` that refuses a Nexus call; without one, the operation itself fails. `Exit code`: that of the command line.',
  table(
    Object.entries(ERROR_CODES).map(([name, row]) => ({ ...row, name })),
    [
      ['Code', ({ name }) => code(name)],
      ['Meaning', ({ meaning }) => meaning],
      ['What to do', ({ remedy }) => remedy],
      ['Retried', ({ repeated }) => (repeated === true ? 'yes' : 'no')],
      ['Outage', ({ outage }) => OUTAGE[outage] ?? '—'],
      ['Nexus', ({ nexus }) => (nexus === undefined ? '—' : code(nexus))],
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
