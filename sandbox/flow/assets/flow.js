// @ts-check
/**
 * The flow's whole script. The page works without it, but for messages to the embedding page, which only a script can send
 * (contract A61).
 */
(() => {
  const { step, target, url, when } = document.querySelector('main')?.dataset ?? {};

  function giveBack() {
    if (url) {
      try {
        if (window.top) window.top.location.href = url;
      } catch {
        // Some browsers let an embedded page move the whole window only after a click in it. The link remains for them.
      }
    } else if (step && target && window.parent !== window) {
      window.parent.postMessage({ Step: step }, target);
    }
  }
  if (when === 'now') giveBack();
  document.querySelector('[data-give-back]')?.addEventListener('click', giveBack);

  // A second click would send a form that the first one has used up.
  const form = document.querySelector('form');
  form?.addEventListener('submit', (event) => {
    if (form.getAttribute('aria-busy')) event.preventDefault();
    form.setAttribute('aria-busy', 'true');
  });
  // If the browser shows the page from its memory, the form can be sent again.
  window.addEventListener('pageshow', () => {
    form?.removeAttribute('aria-busy');
  });

  /** @type {HTMLElement | null} */
  const problems = document.querySelector('.problems');
  problems?.focus();
})();
