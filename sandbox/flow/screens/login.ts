import { html } from '../../../web/html';
import { LOGIN_IDS, TEST_PASSWORD } from '../../sessions/banks';
import { textField } from './fields';
import { institutionOf } from '../steps/next-step';
import type { Screen, View } from './view';

export function loginScreen({ session, texts, error, entered }: View): Screen {
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
    back: texts.actions.back,
  };
}
