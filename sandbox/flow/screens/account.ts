import { maskedNumber } from '../../sessions/session';
import type { Html } from '../../../web/html';
import { ACCOUNT_IDS, ACCOUNTS } from '../../sessions/banks';
import { radios } from './fields';
import type { Screen, View } from './view';

export function accountScreen(view: View): Screen {
  return {
    heading: view.texts.headings.account,
    body: accountChoices(view),
    primary: view.texts.actions.continue,
  };
}

/** The accounts of the login, with their balances. */
export function accountChoices({ session, texts, error, entered, money }: View): Html {
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
