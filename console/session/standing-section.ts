import { isSessionCode } from '../../src/contract';
import { RETURN_REMEDIES, returnReason } from '../../src/contract/return-codes';
import { problemsOf, type SessionProblem } from '../../src/protocol/state/problems';
import { html, type Html } from '../../src/web/html';
import { buttonLink } from '../../src/web/shell/forms';
import { facts, notice } from '../../src/web/shell/parts';
import type { Reader } from '../access/reader';
import { actPath } from '../http/paths';
import { textsOf } from '../texts';
import { explainedCode, standingBadge, withCommands } from '../page';
import { wordsBeside } from '../texts/standings';
import { ACT_NAMES, isOffered, isReturnWaiting, kindOfAct, REMEDIES, type ActName } from './acts/acts';
import { directionOf, furtherFacts, identityFacts, moneyFacts } from './identity';
import { lostPartOf, type SessionView, standingOfView } from './view';

/** Renders the session's facts, and its standing in plain words. */
export function standingSection(view: SessionView, reader: Reader): Html {
  const { language } = reader;
  const texts = textsOf(language);
  const standing = standingOfView(view);
  const { known, summary, money, moneyUnread } = view;
  const { body } = texts.standings[standing];
  const usesLedgerText = standing === 'paid' && money !== undefined;
  const {
    status = summary?.status,
    code = summary?.code,
    failure,
    paid = summary?.paid,
  } = known?.state ?? {};
  const words = wordsBeside(standing, {
    ...(status !== undefined && { status }),
    ...(code !== undefined && { code }),
  });
  return html`<section class="card" aria-labelledby="standing">
    <h2 id="standing">${texts.session.sections.standing}</h2>
    <p>${standingBadge(standing, language)} ${words !== '' && html`<code>${words}</code>`}</p>
    <p>${usesLedgerText ? texts.session.money.paid : body}</p>
    ${code !== undefined && isSessionCode(code) && html`<p class="soft">${code}${texts.session.colon} ${texts.codes[code]}</p>`}
    ${failure !== undefined && html`<p>${explainedCode(failure.code, language)}</p>`}
    ${summary?.failure !== undefined && !failure && html`<p>${explainedCode(summary.failure, language)}</p>`}
    ${facts([
      ...identityFacts(view, language),
      [texts.session.facts.paid, paid === undefined ? undefined : texts.session.facts[paid ? 'yes' : 'no']],
      ...moneyFacts(view, reader),
      ...furtherFacts(view, reader),
    ])}
    ${moneyUnread !== undefined && html`<p class="soft">${texts.session.money.unread(moneyUnread)}</p>`}
  </section>`;
}

/** Renders each problem with its meaning and remedy, and the possible actions. */
export function todoSection(view: SessionView, reader: Reader): Html {
  const texts = textsOf(reader.language);
  const problems = view.known === undefined ? (view.summary?.problems ?? []) : problemsOf(view.known.state);
  const remedied = problems.flatMap((problem) => REMEDIES[problem] ?? []);
  const nothing = knowsProblems(view) ? texts.session.nothingToDo : texts.session.notKnownNow;
  const isReturned = isReturnWaiting(view);
  const others = ACT_NAMES.filter((act) => act !== 'reveal' && act !== 'handle' && !remedied.includes(act));
  return html`<section aria-labelledby="todo">
    <h2 id="todo">${texts.session.sections.todo}</h2>
    ${isReturned && returnNotice(view, reader)}
    ${problems.length === 0 && !isReturned && html`<p>${nothing}</p>`}
    ${problems.map((problem) => problemNotice(problem, view, reader))} ${actButtons(others, view, reader)}
  </section>`;
}

/** Renders the advice about money that came back. The advice depends on the reason. */
function returnNotice(view: SessionView, reader: Reader): Html {
  const { language } = reader;
  const { todo, remedy, remedyOut } = textsOf(language).session.money;
  const direction = directionOf(view) ?? 'DEBIT';
  const reason = returnReason(view.money?.returned?.code ?? '');
  const unknown = direction === 'CREDIT' ? remedyOut : remedy;
  const what = reason === undefined ? unknown : RETURN_REMEDIES[reason.advice][direction][language];
  return notice(
    reason?.urgency === 'high' ? 'bad' : 'attention',
    todo,
    html`<p>${what}</p>
      ${actButtons(['handle'], view, reader)}`,
  );
}

/** True if the session itself or Temporal's index reports its problems. */
const knowsProblems = (view: SessionView): boolean =>
  view.silence?.startsWith('TEMPORAL_') !== true && standingOfView(view) !== 'unknown';

function problemNotice(problem: SessionProblem, view: SessionView, reader: Reader): Html {
  const { meaning, remedy } = textsOf(reader.language).problems[problem];
  return notice(
    problem === 'serviceFailing' ? 'bad' : 'attention',
    withCommands(meaning),
    html`<p>${remedy}</p>
      ${actButtons(REMEDIES[problem] ?? [], view, reader)}`,
  );
}

/** Renders buttons that lead to the confirmations of the actions. Names the actions that are not possible now. Viewers see no buttons. */
export function actButtons(
  acts: readonly ActName[],
  view: SessionView,
  { operator, language }: Reader,
): Html {
  const standing = standingOfView(view);
  // The ledger records `handle`, what was done about a return. So this action is possible even if Temporal does not answer or has dropped
  // the session.
  const offered = acts.filter(
    (act) => isOffered(act, standing, view) && (view.record === undefined || act === 'handle'),
  );
  if (operator.role !== 'operator' || offered.length === 0) return html``;
  const { acts: texts, session } = textsOf(language);
  const lost = lostPartOf(view.silence);
  // The ledger records `handle`. Temporal keeps a cancellation until a worker runs the session again. All other actions need an answer of
  // the session itself.
  const isPossible = (act: ActName) =>
    lost === undefined || act === 'handle' || (lost === 'worker' && act === 'cancel');
  const possible = offered.filter(isPossible);
  const missed = offered.filter((act) => !isPossible(act)).map((act) => texts[act].name.replace('…', ''));
  return html`${
    possible.length > 0 &&
    html`<p class="row">
      ${possible.map((act) => buttonLink(texts[act].name, actPath(view.key, act), kindOfAct(act, standing)))}
    </p>`
  }
  ${lost !== undefined && missed.length > 0 && html`<p class="soft">${session.notNow[lost](missed.join(', '))}</p>`}`;
}
