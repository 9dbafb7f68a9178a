// The pages of an adoption. A session is parked because it is unknown what its create request has done. An operator adopts the payment
// service's session that the request has created. This takes two steps: enter the id of that session, then decide after a preview.
import { isPaysessionError, type ErrorCode } from '../../../src/errors';
import { isGuaranteeUntold, type AdoptPreview, type AdoptRefusal } from '../../../src/protocol/adopt-preview';
import type { PaymentSessionHandle } from '../../../src/sessions';
import { html, type Html } from '../../../src/web/html';
import { button, field, hidden } from '../../../src/web/shell/forms';
import { notice } from '../../../src/web/shell/parts';
import type { Reader } from '../../access/reader';
import { actPath, previewPath, sessionPath } from '../../http/paths';
import { textsOf } from '../../texts';
import { explainedCode } from '../../page';
import type { SessionView } from '../view';
import { comparison } from './compare-payments';
import { namedSession } from '../../../src/protocol/decisions';
import {
  confirmForm,
  parkField,
  sessionCard,
  type Confirmation,
  type ActForm,
  type FormFaults,
} from './confirm-form';

/** A preview, or the error code that explains why there is none. */
export type PreviewAnswer = { readonly preview: AdoptPreview } | { readonly code: ErrorCode };

/**
 * Previews a session at the payment service. If the session, its worker or the Temporal server fails, returns the error code and does not
 * throw.
 */
export async function askPreview(session: PaymentSessionHandle, sessionId: string): Promise<PreviewAnswer> {
  try {
    return { preview: await session.previewAdopt(sessionId) };
  } catch (error) {
    if (!isPaysessionError(error)) throw error;
    return { code: error.code };
  }
}

/** Returns the result of a preview: `adoptable`, or the error code of the reason why not. */
export function previewResult(answer: PreviewAnswer): 'adoptable' | ErrorCode {
  return 'code' in answer ? answer.code : (answer.preview.refusal?.code ?? 'adoptable');
}

/** Renders the first step, which asks for the id. */
export function adoptPage({ view, filled }: Confirmation, reader: Reader): Html {
  const { language } = reader;
  return html`${sessionCard(view, language)}
  ${notice('busy', textsOf(language).acting.form.follows, textsOf(language).adopting.consequence)}
  ${idForm(view, reader, filled?.form, filled?.faults)}`;
}

/** Renders the second step: the payment service's session and, if it can be adopted, the form that adopts it. */
export function previewPage(
  { view, filled }: Required<Confirmation>,
  answer: PreviewAnswer,
  reader: Reader,
): Html {
  const { language } = reader;
  const { form, faults } = filled;
  const told = html`${sessionCard(view, language)} ${previewNotice(answer, reader)}
  ${'preview' in answer && comparison(answer.preview, view, reader)}`;
  if (previewResult(answer) !== 'adoptable') return html`${told} ${idForm(view, reader, form, faults)}`;
  const {
    adopting: { another },
    session: { colon, facts },
  } = textsOf(language);
  return html`${told}
  ${confirmForm({ act: 'adopt', view, filled }, reader, {
    fields: html`<p>${facts.sessionId}${colon} <code>${form.sessionId}</code></p>
      ${hidden('sessionId', form.sessionId)}`,
    links: html`<a href="${actPath(view.key, 'adopt')}">${another}</a>`,
  })}`;
}

function previewNotice(answer: PreviewAnswer, { language }: Reader): Html {
  const { adoptable, refused, unanswered, guaranteeUntold } = textsOf(language).adopting;
  if ('code' in answer)
    return notice('bad', unanswered, html`<p>${explainedCode(answer.code, language)}</p>`);
  const { refusal, found } = answer.preview;
  if (refusal === undefined) {
    if (!isGuaranteeUntold(answer.preview)) return notice('good', adoptable.heading, adoptable.body);
    const caution = html`<p>${guaranteeUntold}</p>
      <p>${adoptable.body}</p>`;
    return notice('busy', adoptable.heading, caution);
  }
  const heading = found === undefined && refusal.code !== 'SERVICE_SESSION_UNKNOWN' ? unanswered : refused;
  return notice('bad', heading, html`<p>${explainedCode(refusal.code, language)}${otherKey(refusal)}</p>`);
}

function otherKey({ followedBy, maybeFollowedBy }: AdoptRefusal): Html | false {
  const key = followedBy ?? maybeFollowedBy;
  return key !== undefined && html` <a href="${sessionPath(key)}"><code>${key}</code></a>`;
}

/** Renders the form for the id. If the answer to the create request named an id, the field contains that id. */
function idForm(
  view: SessionView,
  { language, csrfToken }: Reader,
  filled?: ActForm,
  faults: FormFaults = {},
): Html {
  const { acting, adopting, session } = textsOf(language);
  const { form } = acting;
  const { key, known } = view;
  return html`<form method="post" action="${previewPath(key)}">
    ${hidden('csrf', csrfToken)} ${parkField(view, filled)}
    ${field({
      name: 'sessionId',
      label: session.facts.sessionId,
      hint: form.sessionIdHint,
      value: filled?.sessionId ?? (known && namedSession(known.state)) ?? '',
      required: true,
      ...(faults.sessionId && { error: form.sessionIdWrong }),
    })}
    <p class="row">${button(adopting.preview)} <a href="${sessionPath(key)}">${form.back}</a></p>
  </form>`;
}
