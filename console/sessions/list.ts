import { isSessionProblem } from '../../src/protocol/problems';
import { isSessionPhase } from '../../src/protocol/recorded';
import type { SessionSummary } from '../../src/sessions';
import { html, type Html } from '../../web/html';
import type { Language } from '../../web/language';
import { dataTable, NOTHING } from '../../web/shell/data-table';
import { badge } from '../../web/shell/parts';
import { moment } from '../../web/shell/time';
import type { Facet } from '../reading/facets';
import { sessionsTexts } from './texts';
import { reported, standingOf } from './words';

/** A table of sessions. */
export function sessionTable(
  sessions: readonly SessionSummary[],
  language: Language,
  label = sessionsTexts(language).list,
): Html {
  const { columns } = sessionsTexts(language);
  // Among sessions that all run, such as those that wait for a decision, the column would be empty.
  const hasEnded = sessions.some(({ endedAt }) => endedAt !== undefined);
  return dataTable(
    label,
    [
      columns.key,
      columns.state,
      columns.problems,
      columns.kind,
      { text: columns.account, wideOnly: true },
      columns.reference,
      columns.started,
      ...(hasEnded ? [{ text: columns.ended, wideOnly: true } as const] : []),
    ],
    sessions.map((summary) => [
      sessionLink(summary.key),
      stateCell(summary, language),
      problemCell(summary, language),
      html`<span class="nowrap">${summary.kind ?? NOTHING}</span>`,
      summary.account ?? NOTHING,
      summary.referenceId ?? NOTHING,
      moment(summary.startedAt.toISOString(), language),
      ...(hasEnded ? [endCell(summary, language)] : []),
    ]),
    'dense',
  );
}

/** A status and its code stay on one line; what a service makes up may be longer. */
const LONGEST_ON_A_LINE = 24;

/** A session's key as a link to its page. */
export const sessionLink = (key: string): Html =>
  html`<a href="/sessions/${encodeURIComponent(key)}">${key}</a>`;

const endCell = ({ endedAt }: SessionSummary, language: Language): Html | string =>
  endedAt === undefined ? NOTHING : moment(endedAt.toISOString(), language);

function stateCell(summary: SessionSummary, language: Language): Html {
  const { text, tone } = standingOf(summary, sessionsTexts(language));
  const words = reported(summary);
  return html`${badge(text, tone)}
  ${words !== '' && html`<code ${words.length <= LONGEST_ON_A_LINE && html`class="nowrap"`}>${words}</code>`}`;
}

function problemCell({ problems }: SessionSummary, language: Language): Html | string {
  const words = sessionsTexts(language).problems;
  if (problems.length === 0) return NOTHING;
  return html`${problems.map((problem) => html`${badge(words[problem], problem === 'serviceFailing' ? 'bad' : 'attention')} `)}`;
}

/** A value of a facet, in the reader's words where there are some. */
export function valueText(facet: Facet, value: string, language: Language): string {
  const { phases, problems } = sessionsTexts(language);
  if (facet === 'phase' && isSessionPhase(value)) return phases[value];
  return facet === 'problem' && isSessionProblem(value) ? problems[value] : value;
}
