/**
 * The script of the console's pages, which all work without it. An element with `data-live="/events?…"` shows what the
 * server sends there as server-sent events, while the page is looked at:
 *
 * - `fragment`: the HTML of the element's content, sent at once to who connects, and whenever it changes;
 * - `beat`, each 2 s: the server is there;
 * - `engineLost`, `workerLost` and `back`: what cannot be reached, and that all can again;
 * - `renew`, at the end of a stream that its reader is to ask for anew.
 * - `loginEnded`, at the end of a stream whose reader has to log in again.
 *
 * What is asked for twice, such as a form, stands outside of such an element, or it would be replaced while somebody writes.
 */
export const SCRIPT = `
'use strict';
(() => {
  const banner = document.querySelector('[data-connection]');
  const language = document.documentElement.lang;
  const SILENCE_MS = 4000;
  const RETRY_MS = 1500;

  // The worst of what is wrong is what is told.
  const WORST_FIRST = ['login', 'connection', 'engine', 'worker'];
  const troubles = new Map();
  const tell = () => {
    if (!banner) return;
    const worst = WORST_FIRST.find((kind) => troubles.has(kind));
    banner.hidden = worst === undefined;
    if (worst === banner.dataset.told) return;
    banner.dataset.told = worst ?? '';
    banner.textContent = worst === undefined ? '' : banner.dataset[worst].replace('{time}', troubles.get(worst));
    if (worst !== 'login') return;
    const link = document.createElement('a');
    link.href = window.location.href;
    link.textContent = banner.dataset.again;
    banner.append(' ', link);
  };
  const begin = (kind) => {
    if (!troubles.has(kind)) troubles.set(kind, new Date().toLocaleTimeString('en-GB'));
    tell();
  };
  const end = (...kinds) => {
    for (const kind of kinds) troubles.delete(kind);
    tell();
  };

  const RELATIVE = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });
  const UNITS = [['day', 86400000], ['hour', 3600000], ['minute', 60000], ['second', 1000]];
  const dress = (root) => {
    for (const time of root.querySelectorAll('time[data-local]')) {
      const at = new Date(time.dateTime);
      if (at.getTimezoneOffset() === 0 || time.querySelector('.local')) continue;
      const day = (date) => date.toLocaleDateString('en-CA');
      const other = day(at) === time.dateTime.slice(0, 10) ? '' : day(at) + ' ';
      const local = document.createElement('span');
      local.className = 'local';
      local.textContent = other + at.toLocaleTimeString('en-GB') + ' ' + time.dataset.local;
      time.append(' ', local);
    }
  };
  const age = () => {
    for (const time of document.querySelectorAll('time[data-ago]')) {
      const elapsed = Math.max(0, Date.now() - Date.parse(time.dateTime));
      const [unit, length] = UNITS.find(([, ms]) => elapsed >= ms) ?? UNITS.at(-1);
      const text = RELATIVE.format(-Math.floor(elapsed / length), unit);
      if (time.textContent !== text) time.textContent = text;
    }
  };

  // New content leaves open what was open, and the keyboard where it was.
  const replace = (element, markup) => {
    const controls = () => [...element.querySelectorAll('a, button, input, select, textarea, summary, [tabindex]')];
    const focused = controls().indexOf(document.activeElement);
    const open = [...element.querySelectorAll('details')].map((details) => details.open);
    const scrolled = [...element.querySelectorAll('.table')].map((table) => table.scrollLeft);
    element.innerHTML = markup;
    element.querySelectorAll('details').forEach((details, index) => { details.open ||= open[index] ?? false; });
    element.querySelectorAll('.table').forEach((table, index) => { table.scrollLeft = scrolled[index] ?? 0; });
    if (focused !== -1) controls()[focused]?.focus({ preventScroll: true });
    dress(element);
  };

  class Live {
    #element;
    #source;
    #lastHeard = Date.now();
    #asking = false;

    constructor(element) {
      this.#element = element;
      this.#connect();
      setInterval(() => { this.#watch(); }, 500);
      // A page that nobody looks at takes none of the few connections that a browser has for a server.
      document.addEventListener('visibilitychange', () => {
        if (document.hidden) this.#source?.close();
        else this.#connect();
      });
    }

    #connect() {
      this.#source?.close();
      const source = new EventSource(this.#element.dataset.live);
      this.#source = source;
      this.#lastHeard = Date.now();
      const heard = () => {
        this.#lastHeard = Date.now();
        end('connection', 'login');
      };
      const on = (name, act) => source.addEventListener(name, (event) => { heard(); act(event); });
      source.addEventListener('open', heard);
      on('beat', () => {});
      on('fragment', ({ data }) => { replace(this.#element, data); });
      on('engineLost', () => { begin('engine'); });
      on('workerLost', () => { begin('worker'); });
      on('back', () => { end('engine', 'worker'); });
      on('renew', () => { this.#connect(); });
      on('loginEnded', () => {
        source.close();
        begin('login');
      });
      source.addEventListener('error', () => { begin('connection'); });
    }

    #watch() {
      if (document.hidden) return;
      const silentMs = Date.now() - this.#lastHeard;
      if (silentMs > SILENCE_MS) begin('connection');
      if (this.#source.readyState === EventSource.CLOSED) void this.#ask();
      else if (silentMs > SILENCE_MS + RETRY_MS) this.#connect();
    }

    // The server refused: perhaps the login has ended. An EventSource does not say why.
    async #ask() {
      if (this.#asking) return;
      this.#asking = true;
      const asked = new AbortController();
      try {
        const { ok, status, type } = await fetch(this.#element.dataset.live, {
          headers: { accept: 'text/event-stream' },
          redirect: 'manual',
          signal: asked.signal,
        });
        if (ok) this.#connect();
        else if (status === 401 || type === 'opaqueredirect') begin('login');
      } catch {
        begin('connection');
      } finally {
        asked.abort();
        setTimeout(() => { this.#asking = false; }, RETRY_MS);
      }
    }
  }

  dress(document);
  age();
  setInterval(age, 5000);
  for (const element of document.querySelectorAll('[data-live]')) new Live(element);

  // A page that shows no more than who is lost loads again once there is an answer.
  if (document.querySelector('[data-mends]')) {
    setInterval(async () => {
      const { ok } = await fetch(location.href, { redirect: 'manual' }).catch(() => ({ ok: false }));
      if (ok) location.reload();
    }, RETRY_MS);
  }

  // A second click would send a form that the first one has sent.
  document.addEventListener('submit', (event) => {
    if (event.target.getAttribute('aria-busy')) event.preventDefault();
    event.target.setAttribute('aria-busy', 'true');
  });
  // Back from the browser's memory, forms are free again.
  window.addEventListener('pageshow', () => {
    for (const form of document.querySelectorAll('form[aria-busy]')) form.removeAttribute('aria-busy');
  });

  // What asks for a second step takes the keyboard with it, and goes away by Escape.
  document.addEventListener('toggle', ({ target }) => {
    if (target.matches('details.disclosure') && target.open && target.contains(document.activeElement))
      target.querySelector('input:not([type=hidden]), textarea, select')?.focus();
  }, true);
  document.addEventListener('keydown', (event) => {
    const details = event.key === 'Escape' && event.target.closest('details.disclosure[open]');
    if (!details) return;
    details.open = false;
    details.querySelector('summary').focus();
  });
})();
`;
