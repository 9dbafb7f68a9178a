// @ts-check
/**
 * Shortcuts of a single key: `/` leads to the search, `j` and `k` move from row to row of a list, `?` opens the list of shortcuts. They do
 * nothing while the reader types, or with a modifier. A switch in their list turns them off in this browser (WCAG 2.1.4).
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

  // A browser that stores nothing for pages throws on access. The switch then lasts as long as the page.
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
