import { randomUUID } from 'node:crypto';
import { MAX_REASON_LENGTH } from '../../../src/protocol/decisions';
import { STANDINGS } from '../../../src/protocol/state/standing';
import { html, type Html } from '../../../web/html';
import type { Language } from '../../../web/language';
import { button, hidden, textArea } from '../../../web/shell/forms';
import { badge, facts, notice } from '../../../web/shell/parts';
import type { Reader } from '../../server/reader';
import { identityFacts } from '../identity';
import { actPath, sessionPath } from '../../http/paths';
import { standingOfView } from '../standing';
import { textsOf } from '../../texts';
import type { SessionView } from '../view';
import { cancelMeets, kindOfAct, type ActName } from './acts';
import type { ActForm, FormFaults } from './form';

export interface Confirmation {
  readonly act: ActName;
  readonly view: SessionView;
  /** What was filled in before, and what is wrong with it. */
  readonly filled?: { readonly form: ActForm; readonly faults: FormFaults };
}

/** Asks whether to do it: to which session, what it leads to, and why. */
export function confirmPage(confirmation: Confirmation, reader: Reader): Html {
  return html`${sessionCard(confirmation.view, reader.language)} ${confirmForm(confirmation, reader)}`;
}

/** Which session it is about. */
export function sessionCard(view: SessionView, language: Language): Html {
  const texts = textsOf(language);
  const standing = standingOfView(view);
  const { heading } = texts.standings[standing];
  return html`<div class="card">
    <h2>${texts.session.title(view.key)}</h2>
    <p>${badge(heading, STANDINGS[standing])}</p>
    ${facts(identityFacts(view, language))}
  </div>`;
}

/** What an act has besides a reason. */
interface Further {
  readonly fields?: Html;
  readonly links?: Html;
}

/** What the act leads to, and the form that does it. */
export function confirmForm(
  { act, view, filled }: Confirmation,
  { language, csrfToken }: Reader,
  { fields, links }: Further = {},
): Html {
  const { acts, acting } = textsOf(language);
  const { form: words } = acting;
  const { confirm, hint } = acts[act];
  const { form, faults = {} } = filled ?? {};
  return html`${notice(kindOfAct(act) === 'danger' ? 'attention' : 'busy', words.follows, consequence(act, view, language))}
    <form method="post" action="${actPath(view.key, act)}">
      ${hidden('csrf', csrfToken)} ${hidden('once', form?.once ?? randomUUID())} ${fields}
      ${textArea({
        name: 'reason',
        label: words.reason,
        hint: words.example(hint),
        value: form?.reason ?? '',
        maxLength: MAX_REASON_LENGTH,
        required: true,
        ...(faults.reason && { error: words.reasonMissing }),
      })}
      <p class="row">
        ${button(confirm, kindOfAct(act))} ${links}
        <a href="${sessionPath(view.key)}">${words.back}</a>
      </p>
    </form>`;
}

function consequence(act: ActName, view: SessionView, language: Language): string {
  const texts = textsOf(language).acting;
  return act === 'cancel'
    ? texts.cancelConsequence[cancelMeets(standingOfView(view))]
    : texts.consequences[act];
}
