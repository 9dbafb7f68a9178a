import { isSessionProblem } from '../../src/protocol/state/problems';
import { isSessionPhase } from '../../src/protocol/state/recorded';
import { standingOf, type Standing } from '../../src/protocol/state/standing';
import type { SessionSummary } from '../../src/sessions';
import { html, type Html } from '../../src/web/html';
import type { Language } from '../../src/web/language';
import { badge, dataTable } from '../../src/web/shell/parts';
import { moment, type Locale } from '../../src/web/shell/time';
import type { Facet } from '../reading/reading';
import { amountCell, moneyCell } from '../payments/payment-table';
import { textsOf } from '../texts';
import { keyLink, onOneLine, standingBadge } from '../page';
import { wordsBeside } from '../texts/standings';
import type { PaymentsOfRuns } from '../reading/run-payments';

interface TableOptions {
  readonly label?: string;
  /** The ledger's payments, by the ids of the sessions' workflow runs. @default no ledger */
  readonly payments?: PaymentsOfRuns | undefined;
}

/** Renders a table of sessions. */
export function sessionTable(
  sessions: readonly SessionSummary[],
  locale: Locale,
  { label = textsOf(locale.language).sessions.list, payments }: TableOptions = {},
): Html {
  const { language } = locale;
  const {
    sessions: { columns },
    payments: { columns: more },
  } = textsOf(language);
  // The column of ends is shown only if a session has ended.
  const hasEnded = sessions.some(({ endedAt }) => endedAt !== undefined);
  return dataTable(
    label,
    [
      columns.key,
      payments !== undefined && { text: more.amount, numeric: true },
      columns.state,
      payments !== undefined && more.money,
      columns.kind,
      { text: columns.account, wideOnly: true },
      columns.reference,
      columns.started,
      hasEnded && { text: columns.ended, wideOnly: true },
    ],
    sessions.map((summary) => {
      // Sessions that are older than the ledger are not in the ledger.
      const payment = payments?.get(summary.runId);
      const standing = standingOf({ ...summary, returned: payment?.returnedAt !== undefined });
      return [
        keyLink(summary.key),
        payments !== undefined && payment && amountCell(payment, language),
        stateCell(summary, standing, language),
        payments !== undefined && payment && moneyCell(payment, standing, language),
        summary.kind && html`<span class="nowrap">${summary.kind}</span>`,
        nameCell(summary.account),
        nameCell(summary.referenceId),
        moment(summary.startedAt.toISOString(), locale),
        hasEnded && summary.endedAt && moment(summary.endedAt.toISOString(), locale),
      ];
    }),
    'dense',
  );
}

/** A name of up to this many characters stays on one line. It is narrower than the smallest column of a longer name, which wraps. */
const SHORT_NAME = 12;

const nameCell = (name: string | undefined): Html | undefined =>
  name === undefined ? undefined : html`<span ${onOneLine(name, SHORT_NAME)}>${name}</span>`;

function stateCell(summary: SessionSummary, standing: Standing, language: Language): Html {
  const words = wordsBeside(standing, summary);
  return html`${standingBadge(standing, language)}
  ${words !== '' && html`<code ${onOneLine(words, SHORT_NAME)}>${words}</code>`}
  ${summary.answered && html`<span class="soft">${textsOf(language).sessions.answered}</span>`}
  ${problemBadges(summary, language)}`;
}

/** The problems that the session's standing already shows. */
const SHOWN_BY_STANDING: readonly string[] = ['parked', 'unverifiedEnd'];

function problemBadges(summary: SessionSummary, language: Language): Html {
  const names = textsOf(language).problems;
  const problems = summary.problems.filter((problem) => !SHOWN_BY_STANDING.includes(problem));
  return html`${problems.map((problem) => html`${badge(names[problem].name, problem === 'serviceFailing' ? 'bad' : 'attention')} `)}`;
}

/** Renders the value of a property (a facet of the list), in the reader's language if there is a text for it. */
export function valueText(facet: Facet, value: string, language: Language): string {
  const { sessions, problems } = textsOf(language);
  if (facet === 'phase' && isSessionPhase(value)) return sessions.phases[value];
  return facet === 'problem' && isSessionProblem(value) ? problems[value].name : value;
}
