import { randomUUID } from 'node:crypto';
import { standingOf } from '../../src/protocol/state/standing';
import type { SessionSummary } from '../../src/sessions';
import type { LedgerSession } from '../../ledger';
import { html, type Html } from '../../src/web/html';
import { formatCount, type Language } from '../../src/web/language';
import { button, hidden } from '../../src/web/shell/forms';
import { badge, emptyState, notice, dataTable } from '../../src/web/shell/parts';
import { bulkPath, type BulkAct } from '../http/paths';
import type { Reader } from '../access/reader';
import { cancelTextName, kindOfAct } from '../session/acts/acts';
import { reasonField, type RefusedReason } from '../session/acts/confirm-form';
import { shownResult } from '../session/acts/results';
import type { ActResult } from '../session/acts/perform';
import { textsOf } from '../texts';
import { keyLink } from '../page';
import { sessionTable } from './session-table';

/** The preview of an action on all sessions of a list: the sessions that it would change, and the numbers of those that it leaves out. */
export interface BulkPreview {
  readonly act: BulkAct;
  readonly sessions: readonly SessionSummary[];
  /** For `retry` and `abandon`: the id of each session's wait for a decision, in the order of the sessions. Empty for other actions. */
  readonly parks: readonly string[];
  /** The ledger's payments of the sessions, by the ids of their workflow runs. @default no ledger */
  readonly payments: ReadonlyMap<string, LedgerSession> | undefined;
  /** The number of sessions that were read and to which the action does not apply. */
  readonly left: number;
  /**
   * The number of sessions that are left out for another reason: a retry could create the session twice, its state cannot be read, or its
   * state shows no wait.
   */
  readonly undecidable: number;
  /** The query of the rest of the list, after these sessions. Absent if this is the end of the list. */
  readonly next?: string | undefined;
  /** The query of the action's list. */
  readonly query: string;
  /** A signature that proves that this page has named the sessions to this reader. */
  readonly proof: string;
  readonly refused?: RefusedReason;
}

/** Asks for confirmation: names the sessions and the consequences, and asks for a reason. */
export function previewPage(preview: BulkPreview, reader: Reader): Html {
  const { act, sessions, payments, left, undecidable, next, query } = preview;
  const { language } = reader;
  const { bulk, acting } = textsOf(language);
  const back = html`<a href="/sessions?${query}">${acting.form.back}</a>`;
  const following = next !== undefined && html`<p><a href="${bulkPath(act, next)}">${bulk.more}</a></p>`;
  const unclear =
    undecidable > 0 && html`<p class="soft">${bulk.undecidable(formatCount(undecidable, language))}</p>`;
  if (sessions.length === 0)
    return html`${emptyState(bulk.none.heading, bulk.none.body)} ${unclear} ${following}
      <p>${back}</p>`;
  return html`${consequences(preview, reader)} ${form(preview, reader, back)}
    <h2>${bulk.which}</h2>
    ${sessionTable(sessions, reader, { label: bulk.which, payments })}
    ${left > 0 && html`<p class="soft">${bulk.left(formatCount(left, language))}</p>`} ${unclear} ${following}`;
}

/** Lists each possible consequence once. */
function consequences({ act, sessions }: BulkPreview, { language }: Reader): Html {
  const { acting } = textsOf(language);
  const said =
    act === 'cancel'
      ? sessions.map((session) => acting.cancelConsequence[cancelTextName(standingOf(session))])
      : [acting.consequences[act]];
  return notice(
    kindOfAct(act) === 'danger' ? 'attention' : 'busy',
    acting.form.follows,
    html`${[...new Set(said)].map((text) => html`<p>${text}</p>`)}`,
  );
}

function form(
  { act, sessions, parks, query, proof, refused }: BulkPreview,
  { language, csrfToken }: Reader,
  back: Html,
): Html {
  const { acts, bulk } = textsOf(language);
  return html`<form method="post" action="${bulkPath(act, query)}">
    ${hidden('csrf', csrfToken)} ${hidden('once', refused?.once ?? randomUUID())} ${hidden('named', proof)}
    ${sessions.map(({ key }) => hidden('key', key))} ${parks.map((park) => hidden('park', park))}
    ${reasonField(acts[act].hint, language, refused?.reason, refused !== undefined)}
    <p class="row">
      ${button(bulk.confirm[act](formatCount(sessions.length, language)), kindOfAct(act))} ${back}
    </p>
  </form>`;
}

/** The result of an action on one session. */
export interface BulkResult {
  readonly act: BulkAct;
  readonly key: string;
  /** `unexpected` is an unforeseen error. The console's log has its details. */
  readonly result: ActResult | 'unexpected';
}

export function resultsPage(results: readonly BulkResult[] | undefined, { language }: Reader): Html {
  const texts = textsOf(language);
  const { title, result: column, gone } = texts.bulk.results;
  const all = html`<p><a href="/sessions">${texts.sessions.search.all}</a></p>`;
  if (results === undefined) return html`${emptyState(gone.heading, gone.body)} ${all}`;
  return html`<div role="status">
      ${dataTable(
        title,
        [texts.sessions.columns.key, column],
        results.map((each) => [keyLink(each.key), resultCell(each, language)]),
      )}
    </div>
    ${all}`;
}

function resultCell({ act, result }: BulkResult, language: Language): Html {
  const texts = textsOf(language);
  const name = texts.acts[act].name.replace('…', '');
  if (result === 'unexpected') return html`${badge(name, 'bad')} ${texts.answers.refusals.failed.body}`;
  const { tone, words } = shownResult({ act, result }, language);
  return html`${badge(name, tone)} ${words}`;
}
