import { flowPage } from './layout';
import { paymentSummary, type View } from './view';
import { checkbox, radios, textField } from './fields';
import { html, type Html } from '../../src/web/html';
import type { PageMaker } from '../../src/web/send-page';
import { maskedNumber, type FlowStep } from '../sessions/session';
import { INSTITUTIONS, LOGIN_IDS, TEST_PASSWORD, ACCOUNT_IDS, ACCOUNTS } from '../sessions/banks';
import { positionOf, STEP_BEFORE, stepOf } from './steps';
import { institutionOf, amountText } from './next-step';

/** Contents of a step's form. */
interface Screen {
  readonly heading: string;
  readonly body: Html;
  /** Help with the form, below its buttons. */
  readonly help?: Html;
  /** Text of the button that continues. */
  readonly primary: string;
}

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

/** Returns the page of the payor's present step. The page has one form, and the form's token is valid for one submission. */
export function stepPage(view: View, token: string): PageMaker {
  const { session, merchant, texts, outOfDate, problems } = view;
  const step = stepOf(session);
  const { heading, body, primary, help } = SCREENS[step](view);
  const back = step === 'offer' ? texts.actions.otherAmount : texts.actions.back;
  const leaveUnpaid = session.direction === 'CREDIT' ? texts.actions.leaveDeposit : texts.actions.leave;
  const leave = step === 'agreement' ? texts.actions.signLater : leaveUnpaid;
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
          ${STEP_BEFORE[step] !== undefined && html`<button class="button second" name="action" value="back">${back}</button>`}
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

/** Returns the form for the account and the amount of an e-Transfer. */
function acceptScreen(view: View): Screen {
  return {
    heading: view.texts.headings.accept,
    body: html`${accountChoices(view)} ${amountField(view)}`,
    primary: view.texts.actions.accept,
  };
}

/**
 * Returns the form of the pre-authorized debit (PAD) agreement, which the payor signs now or later (contract rule A56 in docs/contract.md).
 */
function agreementScreen({ session, texts, error, entered, money }: View): Screen {
  const { myAccount, authorization, terms, agreed, signature, signatureHint } = texts.agreement;
  const { account, amount } = session.state;
  const bank = INSTITUTIONS.find(({ institutionCode }) => institutionCode === account?.institutionCode);
  const source = [myAccount, bank?.name, account && maskedNumber(account)].filter(Boolean).join(' ');
  return {
    heading: texts.headings.agreement,
    body: html`${[authorization(source, money(amount ?? 0)), ...terms].map((term) => html`<p>${term}</p>`)}
    ${checkbox('agreed', agreed, error('agreed'), entered('agreed') === 'yes')}
    ${textField({
      name: 'signature',
      label: signature,
      hint: signatureHint,
      value: entered('signature') ?? '',
      error: error('signature'),
      autocomplete: 'name',
    })}`,
    primary: texts.actions.sign,
  };
}

function consentScreen({ texts }: View): Screen {
  const { intro, items, note } = texts.consent;
  return {
    heading: texts.headings.consent,
    body: html`<p>${intro}</p>
      <ul>
        ${items.map((item) => html`<li>${item}</li>`)}
      </ul>
      <p>${note}</p>`,
    primary: texts.actions.agree,
  };
}

function institutionScreen({ session, texts, error }: View): Screen {
  return {
    heading: texts.headings.institution,
    body: radios({
      name: 'institution',
      legend: texts.banks,
      choices: INSTITUTIONS.map(({ id, name }) => ({ value: id, label: name })),
      chosen: session.flow.institutionId,
      error: error('institution'),
    }),
    primary: texts.actions.continue,
  };
}

function loginScreen({ session, texts, error, entered }: View): Screen {
  const { intro, username, password, testLogins, passwordIs, anythingElse, meanings } = texts.login;
  return {
    heading: texts.headings.login,
    body: html`<p>${intro(institutionOf(session.flow).name)}</p>
      ${textField({
        name: 'username',
        label: username,
        value: entered('username') ?? '',
        error: error('username'),
        autocomplete: 'off',
      })}
      ${textField({ name: 'password', label: password, type: 'password', autocomplete: 'off' })}`,
    help: html`<section class="hint" aria-labelledby="test-logins">
      <h2 id="test-logins">${testLogins}</h2>
      <dl>
        ${LOGIN_IDS.map(
          (id) =>
            html`<dt><code>${id}</code></dt>
              <dd>${meanings[id]}</dd>`,
        )}
      </dl>
      <p>${passwordIs(TEST_PASSWORD)} ${anythingElse}</p>
    </section>`,
    primary: texts.actions.logIn,
  };
}

function accountScreen(view: View): Screen {
  return {
    heading: view.texts.headings.account,
    body: accountChoices(view),
    primary: view.texts.actions.continue,
  };
}

/** Returns the choice of the login's accounts, with their balances. */
function accountChoices({ session, texts, error, entered, money }: View): Html {
  return radios({
    name: 'account',
    legend: texts.account.legend,
    choices: ACCOUNT_IDS.map((id) => ({
      value: id,
      label: `${texts.account.names[id]} ${maskedNumber(ACCOUNTS[id])}`,
      note: texts.account.available(money(ACCOUNTS[id].balance)),
    })),
    chosen: entered('account') ?? session.flow.accountId,
    error: error('account'),
  });
}

function amountScreen(view: View): Screen {
  const { session, texts } = view;
  const { state, options } = session;
  return {
    heading: state.amount === null ? texts.amounts.enter : texts.headings.amount,
    body: html`${amountField(view)}
    ${options.guarantee.enable && !state.amountOpen && html`<p>${texts.amounts.guaranteed}</p>`}`,
    primary: texts.actions.confirm,
  };
}

/** Returns a field if the payor may enter or change the amount, else a note that the amount is fixed (contract A16, A40). */
function amountField({ session, texts, error, entered, money }: View): Html {
  const { amount, amountOpen, bounds } = session.state;
  const { language } = session.options.notificationPreferences;
  if (!amountOpen && amount !== null) return html`<p>${texts.amounts.fixed}</p>`;
  const preset = amount === null ? '' : amountText(amount, language === 'FR' ? ',' : '.');
  return textField({
    name: 'amount',
    label: texts.amounts.label,
    hint: texts.amounts.bounds(money(bounds.minimumAmount), money(bounds.maximumAmount)),
    value: entered('amount') ?? preset,
    error: error('amount'),
    autocomplete: 'off',
    inputMode: 'decimal',
  });
}

/** Returns the form of the next best offer: the highest amount that can be guaranteed (contract A40). */
function offerScreen({ session, texts, money }: View): Screen {
  return {
    heading: texts.headings.offer,
    body: html`<p>${texts.offer.intro(money(session.flow.offer ?? 0))}</p>`,
    primary: texts.actions.acceptOffer,
  };
}
