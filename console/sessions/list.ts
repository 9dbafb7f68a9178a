import { isSessionProblem } from '../../src/protocol/state/problems';
import { isSessionPhase } from '../../src/protocol/state/recorded';
import { standingOf, STANDINGS } from '../../src/protocol/state/standing';
import type { SessionSummary } from '../../src/sessions';
import { html, type Html } from '../../web/html';
import type { Language } from '../../web/language';
import { dataTable, NOTHING } from '../../web/shell/data-table';
import { badge } from '../../web/shell/parts';
import { moment } from '../../web/shell/time';
import type { Facet } from '../reading/facets';
import { sessionPath } from '../http/paths';
import { textsOf } from '../texts';
import { wordsBeside } from '../texts/words-beside';

/** A table of sessions. */
export function sessionTable(
  sessions: readonly SessionSummary[],
  language: Language,
  label = textsOf(language).sessions.list,
): Html {
  const { columns } = textsOf(language).sessions;
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

/** A session's key as a link to its page, on one line: the end of a long one is left out, and stands in its title. */
const sessionLink = (key: string): Html =>
  html`<a class="key" href="${sessionPath(key)}" title="${key}">${key}</a>`;

const endCell = ({ endedAt }: SessionSummary, language: Language): Html | string =>
  endedAt === undefined ? NOTHING : moment(endedAt.toISOString(), language);

function stateCell(summary: SessionSummary, language: Language): Html {
  const standing = standingOf(summary);
  const words = wordsBeside(standing, summary);
  return html`${badge(textsOf(language).standings[standing].heading, STANDINGS[standing])}
  ${words !== '' && html`<code ${words.length <= LONGEST_ON_A_LINE && html`class="nowrap"`}>${words}</code>`}`;
}

/** Where the session stands says these already. */
const SAID_BY_STANDING: readonly string[] = ['parked', 'unverifiedEnd'];

function problemCell(summary: SessionSummary, language: Language): Html | string {
  const names = textsOf(language).problems;
  const problems = summary.problems.filter((problem) => !SAID_BY_STANDING.includes(problem));
  if (problems.length === 0) return NOTHING;
  return html`${problems.map((problem) => html`${badge(names[problem].name, problem === 'serviceFailing' ? 'bad' : 'attention')} `)}`;
}

/** A value of a facet, in the reader's words where there are some. */
export function valueText(facet: Facet, value: string, language: Language): string {
  const { sessions, problems } = textsOf(language);
  if (facet === 'phase' && isSessionPhase(value)) return sessions.phases[value];
  return facet === 'problem' && isSessionProblem(value) ? problems[value].name : value;
}
