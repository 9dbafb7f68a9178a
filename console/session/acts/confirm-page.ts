import { randomUUID } from 'node:crypto';
import { html, type Html } from '../../../web/html';
import { button, field, hidden, textArea } from '../../../web/shell/forms';
import { badge, facts, notice } from '../../../web/shell/parts';
import type { Reader } from '../../server/reader';
import { identityFacts } from '../identity';
import { actPath, sessionPath } from '../paths';
import { standingOf, TONES } from '../standing';
import { textsOf } from '../texts/languages';
import type { SessionView } from '../view';
import { cancelMeets, KIND_OF_ACT, type ActName } from './acts';
import { MAX_REASON_LENGTH, type ActForm, type FormFaults } from './form';

export interface Confirmation {
  readonly act: ActName;
  readonly view: SessionView;
  /** What was filled in before, and what is wrong with it. */
  readonly filled?: { readonly form: ActForm; readonly faults: FormFaults };
}

/** Asks whether to do it: to which session, what it leads to, and why. */
export function confirmPage({ act, view, filled }: Confirmation, { language, csrfToken }: Reader): Html {
  const texts = textsOf(language);
  const standing = standingOf(view);
  const { badge: word } = texts.standings[standing];
  const { confirm, hint } = texts.acts[act];
  const { form, faults = {} } = filled ?? {};
  return html`<div class="card">
      <h2>${texts.title(view.key)}</h2>
      <p>${badge(word, TONES[standing])}</p>
      ${facts(identityFacts(view, language))}
    </div>
    ${notice(KIND_OF_ACT[act] === 'danger' ? 'attention' : 'busy', texts.form.follows, consequence(act, view, language))}
    <form method="post" action="${actPath(view.key, act)}">
      ${hidden('csrf', csrfToken)} ${hidden('once', form?.once ?? randomUUID())}
      ${
        act === 'adopt' &&
        field({
          name: 'sessionId',
          label: texts.form.sessionId,
          hint: texts.form.sessionIdHint,
          value: form?.sessionId ?? '',
          required: true,
          ...(faults.sessionId && { error: texts.form.sessionIdWrong }),
        })
      }
      ${textArea({
        name: 'reason',
        label: texts.form.reason,
        hint: texts.form.example(hint),
        value: form?.reason ?? '',
        maxLength: MAX_REASON_LENGTH,
        required: true,
        ...(faults.reason && { error: texts.form.reasonMissing }),
      })}
      <p class="row">
        ${button(confirm, KIND_OF_ACT[act])} <a href="${sessionPath(view.key)}">${texts.form.back}</a>
      </p>
    </form>`;
}

function consequence(act: ActName, view: SessionView, language: Reader['language']): string {
  const texts = textsOf(language);
  return act === 'cancel' ? texts.cancelConsequence[cancelMeets(standingOf(view))] : texts.consequences[act];
}
