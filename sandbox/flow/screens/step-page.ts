import { html, type Html } from '../../../web/html';
import type { PageMaker } from '../../../web/send-page';
import { flowPage } from './layout';
import { paymentSummary } from './summary';
import type { FlowStep } from '../../sessions/flow-progress';
import { positionOf, stepOf } from '../steps/steps';
import type { Screen, View } from './view';
import { acceptScreen } from './accept';
import { accountScreen } from './account';
import { agreementScreen } from './agreement';
import { amountScreen, offerScreen } from './amount';
import { consentScreen } from './consent';
import { institutionScreen } from './institution';
import { loginScreen } from './login';

const SCREENS: Readonly<Record<FlowStep, (view: View) => Screen>> = {
  consent: consentScreen,
  institution: institutionScreen,
  login: loginScreen,
  account: accountScreen,
  amount: amountScreen,
  offer: offerScreen,
  accept: acceptScreen,
  agreement: agreementScreen,
};

export interface StepPage {
  readonly view: View;
  readonly token: string;
  /** The payor sent a form that was not, or no longer, the current one. */
  readonly outOfDate?: boolean;
}

/** The page of the step at which the payor is: one form, whose token is good for one submission. */
export function stepPage({ view, token, outOfDate = false }: StepPage): PageMaker {
  const { session, merchant, texts, problems } = view;
  const step = stepOf(session);
  const { heading, body, primary, back, help } = SCREENS[step](view);
  const leave = step === 'agreement' ? texts.actions.signLater : texts.actions.leave;
  const { step: number, steps } = positionOf(session);
  const prefix = problems.length > 0 ? `${texts.errorPrefix}: ` : '';
  return flowPage({
    language: session.options.notificationPreferences.language,
    title: `${prefix}${heading} – ${titleOf(view)}`,
    content: html`<p class="merchant">${merchant}</p>
      <p class="soft">${titleOf(view)} · ${texts.position(number, steps)}</p>
      <h1>${heading}</h1>
      ${outOfDate && html`<p class="notice" role="status">${texts.outOfDate}</p>`} ${problemList(view)}
      ${paymentSummary(view)}
      <form method="post" action="?sessionId=${encodeURIComponent(session.sessionId)}" novalidate>
        <input type="hidden" name="token" value="${token}" />
        ${body}
        <div class="actions">
          <button class="button" name="action" value="continue">${primary}</button>
          ${back !== undefined && html`<button class="button second" name="action" value="back">${back}</button>`}
          <button class="button quiet" name="action" value="leave">${leave}</button>
        </div>
      </form>
      ${help}`,
  });
}

function problemList({ problems, texts }: View): Html {
  if (problems.length === 0) return html``;
  return html`<div class="problems" role="alert" tabindex="-1">
    <h2>${texts.errorHeading}</h2>
    <ul>
      ${problems.map(({ field, message }) => html`<li><a href="#${field}">${message}</a></li>`)}
    </ul>
  </div>`;
}

const titleOf = ({ session, texts }: View): string =>
  session.direction === 'CREDIT' ? texts.deposit : texts.payment;
