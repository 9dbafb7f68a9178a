// @ts-check
/**
 * The flow's whole script. The page works without the script. Only the messages to the embedding page need it (contract rule A61 in
 * docs/contract.md).
 */
(() => {
  const { step, target, url, when } = document.querySelector('main')?.dataset ?? {};

  function returnControl() {
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
  if (when === 'now') returnControl();
  document.querySelector('[data-give-back]')?.addEventListener('click', returnControl);

  // The first click uses up the form, so a second click must not send it again.
  const form = document.querySelector('form');
  form?.addEventListener('submit', (event) => {
    if (form.getAttribute('aria-busy')) event.preventDefault();
    form.setAttribute('aria-busy', 'true');
  });
  // The browser may show the page again from its memory. Then the form can be sent again.
  window.addEventListener('pageshow', () => {
    form?.removeAttribute('aria-busy');
  });

  /** @type {HTMLElement | null} */
  const problems = document.querySelector('.problems');
  problems?.focus();
})();
