// @ts-check
/**
 * Adds a button next to each element with `data-copy="…"`. The attribute names the button for screen readers; the button copies the
 * element's text. If the browser lets no page copy, as on http away from this machine, there is no button.
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
    // A heading's name must not end with the button's.
    (value.closest('h1') ?? value).after(' ', button);
  }

  document.addEventListener('dress', ({ target }) => {
    if (!(target instanceof Element)) return;
    /** @type {NodeListOf<HTMLElement>} */
    const values = target.querySelectorAll('[data-copy]:not([data-said])');
    for (const value of values) offer(value);
  });
})();
