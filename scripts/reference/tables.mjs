// Reference pages that show one table of the code each.
import settings from '../../dist/src/settings/index.js';
import problems from '../../dist/src/protocol/state/problems.js';
import errors from '../../dist/src/errors/index.js';
import exitCodes from '../../dist/cli/shared/exit-codes.js';
import returns from '../../dist/src/contract/return-codes.js';
import { code, page, table } from './markdown.mjs';
import { typesOf } from './types.mjs';

const { ERROR_CODES, PaysessionError } = errors;

const OUTAGE = { yes: 'yes', no: 'no', unlessSlow: 'yes, except polls that time out', unclear: 'ignored' };

export const errorsPage = page(
  'Errors',
  'Match on `error.code`, never on the message: codes are permanent, messages are not. `isPaysessionError(error, code)` returns true if the error has this code. `InvalidRequestError`, `SessionConflictError`, `SessionNotFoundError`, `SettingsError`, `SessionFailedError` and `ServiceError` are all `PaysessionError`s. A workflow, an update or an activity that fails has the code as its failure’s type. `explain(error)` explains an error to a person.',
  [
    '- `Retried`: whether an activity that fails with this code is retried. A create request that the payment service rejects (4xx except 401, 408 and 429) is not sent again. A session with `UNKNOWN_ACCOUNT`, `SERVICE_CREDENTIALS_REJECTED` or `INVALID_SETTINGS` waits for a worker with valid credentials and settings.',
    '- `Outage`: whether a failed call to the payment service counts towards a pause of the account’s calls. Five failed create requests in a row pause create requests, and five failed polls pause polls. `SERVICE_UNREACHABLE` counts for both, and a single `SERVICE_RATE_LIMITED` pauses both. After `no`, counting starts again, because the payment service has answered. After `ignored`, the count stays as it is.',
    '- `Nexus`: the type of the `HandlerError` that refuses a Nexus call. Without a type, the operation itself fails.',
    '- `Exit code`: the exit code of the command line.',
  ].join('\n'),
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
  'Exit codes of the command line. The page [Errors](errors.md) lists the exit code of each error.',
  table(Object.entries(exitCodes.EXIT), [
    ['Exit code', ([, number]) => String(number)],
    ['Meaning', ([name]) => exitCodes.EXIT_MEANINGS[name]],
  ]),
);

export const problemsPage = page(
  'Problems',
  'Problems of a session that an operator may have to act on. They are the values of the search attribute `PaymentSessionProblem` and of `paysession list --problem`. If a session’s workflow fails, its [error code](errors.md) is there, too. `Kept`: `yes` if the problem stays with the session, `no` if it disappears once its cause is over.',
  table(
    Object.entries(problems.PROBLEMS).map(([name, row]) => ({ ...row, name })),
    [
      ['Problem', ({ name }) => code(name)],
      ['Meaning', ({ meaning }) => meaning],
      ['What to do', ({ remedy }) => remedy],
      ['Kept', ({ passes }) => (passes ? 'no' : 'yes')],
    ],
  ),
);

export const returnsPage = page(
  'Returns',
  'The reasons why payments come back: the return codes of CPA Standard 005, and what to do about each (rule A76 of the [contract](../contract.md)). [Reconciliation](../guides/reconcile.md) records a code as it is in the file. To find a recorded code in this table, ignore upper and lower case. `R901` means 901, `R900-07` means 900, and `NSF` means 901. `DISPUTED` is not a code of the standard: the payment service reports it for a dispute if the bank sends no other code. A code that is not in the table is shown as it is. `Only`: the direction of sessions, if the code is for one direction only. In code, `returnReason(code)` of `paysession/contract` returns the reason of a code, and `RETURN_REMEDIES` has the sentences of the advice.',
  table(returns.RETURN_REASONS, [
    ['Code', ({ code: name }) => code(name)],
    ['Meaning', ({ meaning }) => meaning.EN],
    ['In French', ({ meaning }) => meaning.FR],
    ['Advice', ({ advice }) => code(advice)],
    ['Urgency', ({ urgency }) => urgency],
    ['Only', ({ only }) => (only === undefined ? '—' : code(only))],
  ]),
  '## Advice',
  'What to do depends on the advice and on the direction of the session. `DEBIT` is money from the payor, and `CREDIT` is money to the payor.',
  table(returns.RETURN_ADVICE, [
    ['Advice', (advice) => code(advice)],
    ['Direction `DEBIT`', (advice) => returns.RETURN_REMEDIES[advice].DEBIT.EN],
    ['Direction `CREDIT`', (advice) => returns.RETURN_REMEDIES[advice].CREDIT.EN],
  ]),
);

const { SETTINGS } = settings;

const subjects = [...new Set(SETTINGS.map(({ subject }) => subject))];

export const settingsPage = page(
  'Settings',
  'Environment variables of the `paysession` commands, including `paysession worker`. An empty variable counts as unset. One line break at the end of a variable or of a secret’s file is ignored. Other control characters are refused. Only TLS certificates, TLS keys and encryption keys may have several lines. A secret and its file cannot both be set. Files are UTF-8, with or without a byte order mark. `paysession doctor` shows which settings are set (except `TEMPORAL_GRPC_META_*`), and their errors. Temporal’s own settings are those of its package `@temporalio/envconfig`: variables take precedence over the profile in Temporal’s configuration file.',
  ...subjects.flatMap((subject) => [
    `## ${subject}`,
    table(
      SETTINGS.filter((setting) => setting.subject === subject),
      [
        ['Setting', ({ name }) => code(name)],
        ['Default', (setting) => code(setting.default)],
        ['Meaning', ({ meaning, secret }) => (secret ? `${meaning} Never shown.` : meaning)],
      ],
    ),
  ]),
);

const types = typesOf('src/protocol/policy.ts');

export const policyPage = page(
  'Policy',
  `The fields of \`policy\` in a session’s input. ${types.docOf('SessionPolicy')} A \`Duration\` is milliseconds, or text such as \`'90s'\`, \`'15m'\`, \`'2h'\`, \`'5d'\`, from 0 to 366 days.`,
  table(types.fieldsOf('SessionPolicy'), [
    ['Field', ({ name }) => code(name)],
    ['Type', ({ type }) => code(type)],
    ['Default', ({ default: value }) => (/^\S+$/.test(value) ? code(value) : value)],
    ['Meaning', ({ doc }) => doc],
  ]),
);
