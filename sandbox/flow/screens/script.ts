/**
 * The flow's whole script. The page works without it, but for messages to the embedding page, which only a script can send
 * (contract A61).
 */
export const SCRIPT = `
(() => {
  const main = document.querySelector('main');
  const { step, target, url, when } = main.dataset;

  const giveBack = () => {
    if (url) {
      // Some browsers let an embedded page move the whole window only after a click in it: the link stays for them.
      try { window.top.location.href = url; } catch {}
    } else if (step && window.parent !== window) {
      window.parent.postMessage({ Step: step }, target);
    }
  };
  if (when === 'now') giveBack();
  document.querySelector('[data-give-back]')?.addEventListener('click', giveBack);

  // A second click would send a form that the first one has used up.
  const form = document.querySelector('form');
  form?.addEventListener('submit', (event) => {
    if (form.getAttribute('aria-busy')) event.preventDefault();
    form.setAttribute('aria-busy', 'true');
  });
  // Back from the browser's memory, the form is free again.
  window.addEventListener('pageshow', () => { form?.removeAttribute('aria-busy'); });

  document.querySelector('.problems')?.focus();
})();
`;
