// @ts-check
/**
 * The script of the console's pages. All pages also work without it.
 *
 * An element with `data-live="/events?…"` is live: while the page is visible, the script receives server-sent events from that address,
 * and updates the element. The events are:
 *
 * - `fragment`: the HTML of the element's content. Sent when the connection begins, and after each change.
 * - `beat`: sent every 2 s to show that the server is running.
 * - `temporalLost` and `workerLost`: the Temporal server or all workers cannot be reached. `back`: all can be reached again.
 * - `renew`: the stream ends, and the script opens a new stream.
 * - `loginEnded`: the stream ends, and the user has to log in again.
 *
 * A form must be outside of a live element. Otherwise, it would be replaced while the user types.
 */
'use strict';
(() => {
  const SILENCE_MS = 4000;
  const RETRY_MS = 1500;

  /** @typedef {'login' | 'connection' | 'temporal' | 'worker'} Trouble */

  /** @type {HTMLElement | null} */
  const banner = document.querySelector('[data-connection]');
  /** The order of troubles. Only the first of the current troubles is shown. @type {readonly Trouble[]} */
  const WORST_FIRST = ['login', 'connection', 'temporal', 'worker'];
  /** The current troubles, with the time at which each began. @type {Map<Trouble, string>} */
  const troubles = new Map();

  function tell() {
    if (!banner) return;
    const worst = WORST_FIRST.find((kind) => troubles.has(kind));
    banner.hidden = worst === undefined;
    if (worst === banner.dataset.told) return;
    banner.dataset.told = worst ?? '';
    banner.textContent =
      worst === undefined ? '' : (banner.dataset[worst] ?? '').replace('{time}', troubles.get(worst) ?? '');
    if (worst !== 'login') return;
    const link = document.createElement('a');
    link.href = window.location.href;
    link.textContent = banner.dataset.again ?? '';
    banner.append(' ', link);
  }

  /** @param {Trouble} kind */
  function begin(kind) {
    if (!troubles.has(kind)) troubles.set(kind, new Date().toLocaleTimeString('en-GB'));
    tell();
  }

  /** @param {readonly Trouble[]} kinds */
  function end(...kinds) {
    for (const kind of kinds) troubles.delete(kind);
    tell();
  }

  /**
   * Prepares new content: adds local times, and sends the event `dress`, at which the other scripts add their parts.
   *
   * @param {Element} root
   */
  function dress(root) {
    localTimes(root);
    root.dispatchEvent(new Event('dress', { bubbles: true }));
  }

  /**
   * Adds times in the user's own time zone, if it differs. They are shown next to the page's times. In a table, where there is no room,
   * they are the titles of the page's times.
   *
   * @param {ParentNode} root
   */
  function localTimes(root) {
    /** @type {NodeListOf<HTMLTimeElement>} */
    const times = root.querySelectorAll('time[data-local]');
    for (const time of times) {
      const at = new Date(time.dateTime);
      if (time.querySelector('.local')) continue;
      const day = at.toLocaleDateString('en-CA');
      const own = `${day} ${at.toLocaleTimeString('en-GB')}`;
      const shown = time.textContent;
      if (shown.startsWith(own)) continue;
      const text = `${shown.startsWith(day) ? own.slice(day.length + 1) : own} ${time.dataset.local ?? ''}`;
      if (time.closest('.table')) {
        time.title = text;
        continue;
      }
      const local = document.createElement('span');
      local.className = 'local';
      local.textContent = text;
      time.append(' ', local);
    }
  }

  const RELATIVE = new Intl.RelativeTimeFormat(document.documentElement.lang, {
    numeric: 'auto',
    style: 'short',
  });

  /** @param {number} elapsedMs @returns {string} */
  function ago(elapsedMs) {
    const elapsedS = elapsedMs / 1000;
    if (elapsedS >= 86_400) return RELATIVE.format(-Math.floor(elapsedS / 86_400), 'day');
    if (elapsedS >= 3600) return RELATIVE.format(-Math.floor(elapsedS / 3600), 'hour');
    if (elapsedS >= 60) return RELATIVE.format(-Math.floor(elapsedS / 60), 'minute');
    return RELATIVE.format(-Math.floor(elapsedS), 'second');
  }

  function age() {
    /** @type {NodeListOf<HTMLTimeElement>} */
    const times = document.querySelectorAll('time[data-ago]');
    for (const time of times) {
      const text = ago(Math.max(0, Date.now() - Date.parse(time.dateTime)));
      if (time.textContent !== text) time.textContent = text;
    }
  }

  /** Returns the name by which a control is found again after the content has changed. @param {HTMLElement} control */
  const nameOf = (control) =>
    control.getAttribute('href') ?? control.getAttribute('aria-label') ?? control.textContent;

  /**
   * Returns a function that finds a control again in new content, by its name. If several controls have the same name, their order
   * decides.
   *
   * @param {HTMLElement | undefined} control
   * @param {readonly HTMLElement[]} before
   * @returns {(after: readonly HTMLElement[]) => HTMLElement | undefined}
   */
  function sameAs(control, before) {
    if (control === undefined) return () => undefined;
    const name = nameOf(control);
    const place = before.filter((other) => nameOf(other) === name).indexOf(control);
    return (after) => after.filter((other) => nameOf(other) === name)[place];
  }

  /**
   * Replaces an element's content. Open parts stay open, and the keyboard focus stays on the same control.
   *
   * @param {HTMLElement} element
   * @param {string} markup
   */
  function replace(element, markup) {
    /** @returns {NodeListOf<HTMLElement>} */
    const controls = () =>
      element.querySelectorAll('a, button, input, select, textarea, summary, [tabindex]');
    const before = [...controls()];
    const focused = before.findIndex((control) => control === document.activeElement);
    const same = sameAs(before[focused], before);
    const open = [...element.querySelectorAll('details')].map((details) => details.open);
    const scrolled = [...element.querySelectorAll('.table')].map((table) => table.scrollLeft);
    element.innerHTML = markup;
    element.querySelectorAll('details').forEach((details, index) => {
      details.open ||= open[index] ?? false;
    });
    element.querySelectorAll('.table').forEach((table, index) => {
      table.scrollLeft = scrolled[index] ?? 0;
    });
    dress(element);
    const after = [...controls()];
    if (focused !== -1) (same(after) ?? after[focused])?.focus({ preventScroll: true });
  }

  class Live {
    #element;
    #url;
    /** @type {EventSource | undefined} */
    #source;
    #lastHeard = Date.now();
    #asking = false;

    /** @param {HTMLElement} element */
    constructor(element) {
      this.#element = element;
      this.#url = element.dataset.live ?? '';
      this.#connect();
      setInterval(() => {
        this.#watch();
      }, 500);
      document.addEventListener('visibilitychange', () => {
        this.#connect();
      });
    }

    #connect() {
      this.#source?.close();
      // A browser has only a few connections for each server. A page that is not visible uses none of them.
      if (document.hidden) return;
      const source = new EventSource(this.#url);
      this.#source = source;
      this.#lastHeard = Date.now();
      const heard = () => {
        this.#lastHeard = Date.now();
        end('connection', 'login');
      };
      /** @param {string} name @param {(data: string) => void} act */
      const on = (name, act) => {
        source.addEventListener(name, ({ data }) => {
          heard();
          act(String(data));
        });
      };
      source.addEventListener('open', heard);
      source.addEventListener('beat', heard);
      on('fragment', (markup) => {
        replace(this.#element, markup);
      });
      on('temporalLost', () => {
        begin('temporal');
      });
      on('workerLost', () => {
        begin('worker');
      });
      on('back', () => {
        end('temporal', 'worker');
      });
      on('renew', () => {
        this.#connect();
      });
      on('loginEnded', () => {
        source.close();
        begin('login');
      });
      source.addEventListener('error', () => {
        begin('connection');
      });
    }

    #watch() {
      if (document.hidden) return;
      const silentMs = Date.now() - this.#lastHeard;
      if (silentMs > SILENCE_MS) begin('connection');
      if (this.#source?.readyState === EventSource.CLOSED) void this.#ask();
      else if (silentMs > SILENCE_MS + RETRY_MS) this.#connect();
    }

    // Asks the server why it has refused the stream, because an EventSource does not show that. Perhaps the login has
    // ended.
    async #ask() {
      if (this.#asking) return;
      this.#asking = true;
      const asked = new AbortController();
      try {
        const { ok, status, type } = await fetch(this.#url, {
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
        setTimeout(() => {
          this.#asking = false;
        }, RETRY_MS);
      }
    }
  }

  dress(document.body);
  age();
  setInterval(age, 5000);
  /** @type {NodeListOf<HTMLElement>} */
  const parts = document.querySelectorAll('[data-live]');
  for (const part of parts) new Live(part);

  async function reloadOnceAnswered() {
    const { ok } = await fetch(location.href, { redirect: 'manual' }).catch(() => ({ ok: false }));
    if (ok) location.reload();
  }
  // A page that shows only an error about a lost connection is loaded again once the server answers.
  if (document.querySelector('[data-retries]')) setInterval(() => void reloadOnceAnswered(), RETRY_MS);

  // A form is sent only once, even if the user clicks twice.
  document.addEventListener('submit', (event) => {
    if (!(event.target instanceof HTMLFormElement)) return;
    if (event.target.getAttribute('aria-busy')) event.preventDefault();
    event.target.setAttribute('aria-busy', 'true');
  });
  // If the user comes back and the browser shows the page from its memory, forms can be sent again.
  window.addEventListener('pageshow', () => {
    for (const form of document.querySelectorAll('form[aria-busy]')) form.removeAttribute('aria-busy');
  });

  // If a part with a second step opens, its first field gets the keyboard focus. Escape closes the part.
  document.addEventListener(
    'toggle',
    ({ target }) => {
      if (!(target instanceof HTMLDetailsElement) || !target.matches('.disclosure') || !target.open) return;
      if (!target.contains(document.activeElement)) return;
      /** @type {HTMLElement | null} */
      const first = target.querySelector('input:not([type=hidden]), textarea, select');
      first?.focus();
    },
    true,
  );
  document.addEventListener('keydown', ({ key, target }) => {
    if (key !== 'Escape' || !(target instanceof Element)) return;
    /** @type {HTMLDetailsElement | null} */
    const details = target.closest('details.disclosure[open]');
    if (!details) return;
    details.open = false;
    details.querySelector('summary')?.focus();
  });
})();
