import statuses from '../../dist/src/contract/statuses.js';
import { code, page, table } from './markdown.mjs';
import { typesOf } from './types.mjs';

const session = typesOf('src/protocol/state/session.ts');
const recorded = typesOf('src/protocol/state/recorded.ts');
const preview = typesOf('src/protocol/adopt-preview.ts');
const failures = typesOf('src/errors/failures.ts');

export const sessionPage = page(
  'State and result',
  'A session’s state, result and history: the same JSON in every language. Times are ISO 8601 in UTC. Amounts are in dollars. Fields with `?` may be absent.',
  ...part(
    'State',
    session,
    'SessionState',
    'The answer of `state()`, `refresh()` and `resolveCreate()`, and each state that `changes()` yields.',
  ),
  ...choices('Phases', recorded, 'SessionPhase'),
  ...part(
    'Result, paid',
    session,
    'PaidSession',
    'The answer of `result()` where `paid` is true. `unsigned` and `unverified` are then always absent.',
  ),
  ...part('Result, not paid', session, 'UnpaidSession', 'The answer of `result()` where `paid` is false.'),
  '## Statuses and codes',
  'The payment service’s statuses, and the detail codes of EFT sessions. e-Transfer sessions have no codes. A status or code that this version does not know is kept unchanged, and flagged in `anomalies`.',
  table(Object.entries(statuses.SESSION_CODES), [
    ['Code', ([name]) => code(name)],
    ['Status', ([, { status }]) => code(status)],
    ['Meaning', ([, { meaning }]) => meaning],
  ]),
  ...part(
    'State history',
    recorded,
    'StateHistoryEntry',
    'An entry of the list that `stateHistory()` returns, oldest first. A session keeps its first 200 states.',
  ),
  ...part('Anomalies', recorded, 'Anomaly'),
  ...choices('Kinds of anomalies', recorded, 'Anomaly.kind'),
  ...part('Cancellation', recorded, 'CancelRecord'),
  ...part('Answer to a cancellation', session, 'CancelReply', 'The answer of `cancelAndWait()`.'),
  ...choices('Outcomes of a cancellation', recorded, 'CancelOutcome'),
  ...part('Trouble', recorded, 'Trouble'),
  ...part('Failure', failures, 'SessionFailure', 'The reason why a session’s workflow failed.'),
  ...part('Parks', recorded, 'Park'),
  ...part('Decisions', recorded, 'Decision'),
  ...choices('Kinds of decisions', recorded, 'Decision.decision'),
  ...part('Answer to a reveal', session, 'RevealReply', 'The answer of `recordReveal()`.'),
  ...part('Preview of an adoption', preview, 'AdoptPreview'),
  ...part('Refusal to adopt', preview, 'AdoptRefusal'),
  ...part('Payment asked for', preview, 'AskedPayment'),
  ...part('Payment found', preview, 'FoundPayment'),
  ...part(
    'Opened session',
    session,
    'OpenedSession',
    'The answer of `opened()` and of the update `awaitOpened`. The answer of `open()` also has these fields.',
  ),
);

function part(title, types, name, intro = types.docOf(name)) {
  return [
    `## ${title}`,
    intro,
    table(types.fieldsOf(name), [
      ['Field', ({ name: field, isOptional }) => code(isOptional ? `${field}?` : field)],
      ['Type', ({ type }) => code(type.replaceAll('readonly ', ''))],
      ['Meaning', ({ doc }) => doc],
    ]),
  ];
}

function choices(title, types, name) {
  return [
    `## ${title}`,
    table(types.choicesOf(name), [
      ['Value', ({ choice }) => code(choice)],
      ['Meaning', ({ meaning }) => meaning],
    ]),
  ];
}
