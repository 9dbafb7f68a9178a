import { html, type Html } from '../html';
import type { Language } from '../language';
import { shellTexts } from './texts';

/** The list of the keys with the switch that turns them off, and its button, which the script shows. */
export function keyList(language: Language): Html {
  const { keys } = shellTexts(language);
  const rows = [
    ['/', keys.search],
    ['j', keys.next],
    ['k', keys.previous],
    ['?', keys.list],
  ] as const;
  return html`<button type="button" class="opener" data-keys-opener hidden>${keys.title}</button>
    <dialog data-keys aria-labelledby="keys">
      <h2 id="keys">${keys.title}</h2>
      <dl class="facts">
        ${rows.map(
          ([key, meaning]) =>
            html`<dt><kbd>${key}</kbd></dt>
              <dd>${meaning}</dd>`,
        )}
      </dl>
      <p>
        <label><input type="checkbox" /> ${keys.isOn}</label>
      </p>
      <button type="button" class="button second" data-keys-close>${keys.close}</button>
    </dialog>`;
}
