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
        // Some browsers let an embedded page move the whole window only after a click in it: the link stays for them.
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
  // Back from the browser's memory, the form is free again.
  window.addEventListener('pageshow', () => {
    form?.removeAttribute('aria-busy');
  });

  /** @type {HTMLElement | null} */
  const problems = document.querySelector('.problems');
  problems?.focus();
})();
