import { randomUUID } from 'node:crypto';
import { isSessionId } from '../../../src/contract';
import { html, type Html } from '../../../src/web/html';
import type { Language } from '../../../src/web/language';
import { button, hidden, textArea } from '../../../src/web/shell/forms';
import { facts, notice } from '../../../src/web/shell/parts';
import type { Reader } from '../../access/reader';
import { actPath, sessionPath } from '../../http/paths';
import { standingBadge } from '../../page';
import { textsOf } from '../../texts';
import { identityFacts } from '../identity';
import { type SessionView, standingOfView } from '../view';
import { cancelTextName, kindOfAct, type ActName } from './acts';
import { currentPark, MAX_REASON_LENGTH } from '../../../src/protocol/decisions';
import { textFailures } from '../../../src/protocol/input';

export interface Confirmation {
  readonly act: ActName;
  readonly view: SessionView;
  /** The form as the operator has filled it in, and its invalid fields. */
  readonly filled?: { readonly form: ActForm; readonly faults: FormFaults };
}

/** Asks for confirmation of an action: shows the session and the consequence, and asks for a reason. */
export function confirmPage(confirmation: Confirmation, reader: Reader): Html {
  return html`${sessionCard(confirmation.view, reader.language)} ${confirmForm(confirmation, reader)}`;
}

/** Renders the session that the form is about. */
export function sessionCard(view: SessionView, language: Language): Html {
  return html`<div class="card">
    <h2>${textsOf(language).session.title(view.key)}</h2>
    <p>${standingBadge(standingOfView(view), language)}</p>
    ${facts(identityFacts(view, language))}
  </div>`;
}

/** Renders the consequence of the action, and its form. `fields` come before the field for the reason, and `links` after the button. */
export function confirmForm(
  { act, view, filled }: Confirmation,
  { language, csrfToken }: Reader,
  { fields, links }: { readonly fields?: Html; readonly links?: Html } = {},
): Html {
  const { acts, acting } = textsOf(language);
  const { form: words } = acting;
  const { confirm, hint } = acts[act];
  const { form, faults = {} } = filled ?? {};
  return html`${notice(kindOfAct(act) === 'danger' ? 'attention' : 'busy', words.follows, consequence(act, view, language))}
    <form method="post" action="${actPath(view.key, act)}">
      ${hidden('csrf', csrfToken)} ${hidden('once', form?.once ?? randomUUID())} ${parkField(view, form)}
      ${act === 'handle' && hidden('claim', String(form?.claim ?? view.money?.claim ?? ''))} ${fields}
      ${reasonField(hint, language, form?.reason, faults.reason)}
      <p class="row">
        ${button(confirm, kindOfAct(act))} ${links}
        <a href="${sessionPath(view.key)}">${words.back}</a>
      </p>
    </form>`;
}

/** Renders a hidden field with the id of the session's present wait for a decision. So the decision cannot apply to a later wait. */
export function parkField({ known }: SessionView, filled?: ActForm): Html {
  return hidden('park', filled?.park ?? (known && currentPark(known.state)?.id) ?? '');
}

/** Renders the field for the reason of an action; `isWrong` if it was missing or too long. */
export function reasonField(hint: string, language: Language, value = '', isWrong = false): Html {
  const { reason, example, reasonMissing } = textsOf(language).acting.form;
  return textArea({
    name: 'reason',
    label: reason,
    hint: example(hint),
    value,
    maxLength: MAX_REASON_LENGTH,
    required: true,
    ...(isWrong && { error: reasonMissing }),
  });
}

function consequence(act: ActName, view: SessionView, language: Language): string {
  const texts = textsOf(language).acting;
  return act === 'cancel'
    ? texts.cancelConsequence[cancelTextName(standingOfView(view))]
    : texts.consequences[act];
}

/** The fields of a form as an operator has filled them in. */
export interface ActForm {
  readonly reason: string;
  readonly sessionId: string;
  /** The id of the wait that the decision is about. Empty if the session was not waiting. */
  readonly park: string;
  /** The claim whose payment came back, by its number among the key's claims in the ledger. Absent for actions other than `handle`. */
  readonly claim: number | undefined;
  /** The form's own id, so that a form that is sent twice acts once. */
  readonly once: string;
}

/** The fields that have to be filled in again. */
export type FormFaults = Readonly<Partial<Record<'reason' | 'sessionId', true>>>;

/** A reason that was empty or too long, and its form's id. */
export type RefusedReason = Pick<ActForm, 'reason' | 'once'>;

export function readActForm(fields: URLSearchParams): ActForm {
  const text = (name: string) => (fields.get(name) ?? '').trim();
  const claim = Number(text('claim')) || undefined;
  return {
    reason: text('reason'),
    sessionId: text('sessionId'),
    park: text('park'),
    claim,
    once: text('once'),
  };
}

/** Returns true if a reason can be recorded: it is not empty, and not too long. */
export const isReason = (reason: string): boolean =>
  textFailures('reason', reason, MAX_REASON_LENGTH).length === 0;

/** Returns the invalid fields; empty if all are valid. */
export function faultsOf(act: ActName, { reason, sessionId }: ActForm): FormFaults {
  return {
    ...(!isReason(reason) && { reason: true as const }),
    ...(act === 'adopt' && !isSessionId(sessionId) && { sessionId: true as const }),
  };
}
