// @ts-check
/**
 * Keyboard shortcuts of a single key: `/` goes to the search, `j` and `k` move to the next and previous row of a list, and `?` opens the
 * list of shortcuts. The shortcuts do nothing while the user types in a field, or with a modifier key. A switch in the list of shortcuts
 * turns them off in this browser (WCAG 2.1.4).
 */
'use strict';
(() => {
  const STORED = 'paysession-keys';

  /** @type {HTMLDialogElement | null} */
  const list = document.querySelector('dialog[data-keys]');
  /** @type {HTMLInputElement | null} */
  const isOn = document.querySelector('dialog[data-keys] input');
  /** @type {HTMLButtonElement | null} */
  const opener = document.querySelector('button[data-keys-opener]');
  if (list === null || isOn === null || opener === null) return;
  opener.hidden = false;

  // If the browser stores nothing for pages, the access throws an error. The switch then has an effect only until the
  // page is left.
  function storage() {
    try {
      return window.localStorage;
    } catch {
      return undefined;
    }
  }
  isOn.checked = storage()?.getItem(STORED) !== 'off';
  isOn.addEventListener('change', () => {
    storage()?.setItem(STORED, isOn.checked ? 'on' : 'off');
  });
  list.querySelector('[data-keys-close]')?.addEventListener('click', () => {
    list.close();
  });
  opener.addEventListener('click', () => {
    list.showModal();
  });

  /** @param {1 | -1} step */
  function move(step) {
    /** @type {HTMLElement[]} */
    const rows = [...document.querySelectorAll('.table tbody a.key')].filter(
      (row) => row instanceof HTMLElement,
    );
    const at = rows.findIndex((row) => row.closest('tr')?.contains(document.activeElement));
    const next = at === -1 ? 0 : at + step;
    rows[next]?.focus();
  }

  /** @type {Readonly<Record<string, () => void>>} */
  const ACTS = {
    '/': () => {
      /** @type {HTMLInputElement | null} */
      const search = document.querySelector('main input[type=search]');
      search?.focus();
      search?.select();
    },
    j: () => {
      move(1);
    },
    k: () => {
      move(-1);
    },
    '?': () => {
      list.showModal();
    },
  };

  document.addEventListener('keydown', (event) => {
    const { key, target, ctrlKey, altKey, metaKey } = event;
    const act = Object.hasOwn(ACTS, key) ? ACTS[key] : undefined;
    if (act === undefined || ctrlKey || altKey || metaKey || !isOn.checked || list.open) return;
    if (target instanceof Element && target.closest('input, textarea, select, [contenteditable]')) return;
    event.preventDefault();
    act();
  });
})();
