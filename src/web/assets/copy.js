// @ts-check
/**
 * Adds a button next to each element with `data-copy="…"`. The button copies the element's text. The attribute is the button's name
 * for screen readers. If the browser does not let the page copy, there is no button. That is the case on a page that was loaded by
 * http from another machine.
 */
'use strict';
(() => {
  const SAID_MS = 4000;

  /** @type {HTMLElement | null} */
  const said = document.querySelector('[data-said]');
  if (said === null || !('clipboard' in navigator)) return;
  const { copy = '', copied = '', notCopied = '' } = said.dataset;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let silence;

  /** @param {string} text */
  function say(text) {
    if (!said) return;
    clearTimeout(silence);
    said.textContent = text;
    silence = setTimeout(() => {
      said.textContent = '';
    }, SAID_MS);
  }

  /** @param {HTMLElement} value */
  function offer(value) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = copy;
    button.ariaLabel = value.dataset.copy ?? '';
    const text = value.textContent;
    button.addEventListener('click', () => {
      navigator.clipboard.writeText(text).then(
        () => {
          say(copied);
        },
        () => {
          say(notCopied);
        },
      );
    });
    // The button is put after the heading, and not into it. Otherwise, the heading's name would include the button's
    // name.
    (value.closest('h1') ?? value).after(' ', button);
  }

  document.addEventListener('dress', ({ target }) => {
    if (!(target instanceof Element)) return;
    /** @type {NodeListOf<HTMLElement>} */
    const values = target.querySelectorAll('[data-copy]:not([data-said])');
    for (const value of values) offer(value);
  });
})();
