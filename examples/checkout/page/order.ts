import { embedCheckout, type EmbeddedCheckout } from 'paysession/embed';
import type { OrderView } from '../orders/view.js';

const order = find('order');
const { url = '', flowTitle = '', checkoutUrl, returned } = order.dataset;
const headline = find('headline');
const flow = find('flow');
const resume = find('resume');
const cancel = find('cancel');
const trouble = find('trouble');

const CONNECT_AGAIN_AFTER_MS = 5_000;

let view: OrderView | undefined;
let embedded: EmbeddedCheckout | undefined;
/** True if the payor has left the flow. A button opens it again. */
let left = returned === 'yes';

function find(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no ${id}`);
  return element;
}

/** Posts a request to the shop's server. The resulting change arrives as an event. */
async function ask(what: 'refresh' | 'cancel'): Promise<void> {
  const response = await fetch(`${url}/${what}`, {
    method: 'POST',
    headers: { accept: 'application/json' },
  });
  if (!response.ok) throw new Error(`the shop answers ${response.status}`);
}

function openFlow(): void {
  if (embedded !== undefined || checkoutUrl === undefined) return;
  flow.hidden = false;
  embedded = embedCheckout({
    container: flow,
    checkoutUrl,
    title: flowTitle,
    refresh: () => ask('refresh'),
    onSuccess: closeFlow,
    onExit: () => {
      left = true;
      closeFlow();
    },
  });
  show();
}

function closeFlow(): void {
  if (embedded === undefined) return;
  embedded.close();
  embedded = undefined;
  flow.hidden = true;
  show();
  // The element that had the focus is gone.
  headline.focus();
}

/** Shows the order as text. Foreign content is never markup. */
function show(): void {
  if (view === undefined) return;
  headline.textContent = view.headline;
  find('detail').textContent = view.detail;
  headline.parentElement?.setAttribute('data-tone', view.tone);
  cancel.hidden = !view.cancellable;
  resume.hidden = embedded !== undefined || view.flow !== 'usable' || !left;
  find('again').hidden = !view.ended;
  find('history').replaceChildren(...view.history.map(historyLine));
}

function historyLine({ at, state, source }: OrderView['history'][number]): HTMLElement {
  const line = document.createElement('li');
  const time = document.createElement('time');
  time.dateTime = at;
  time.textContent = new Date(at).toLocaleTimeString(document.documentElement.lang, { hour12: false });
  const what = document.createElement('strong');
  what.textContent = state;
  const seen = document.createElement('span');
  seen.className = 'soft';
  seen.textContent = source;
  line.append(time, what, seen);
  return line;
}

function receive(text: string): void {
  view = JSON.parse(text) as OrderView;
  trouble.hidden = true;
  show();
  // The session has just opened. Only the reloaded page may embed its flow.
  if (checkoutUrl === undefined && view.checkoutUrl !== undefined) location.reload();
  else if (view.flow === 'gone') closeFlow();
  else if (view.flow === 'usable' && !left) openFlow();
}

/** Shows the page's text for a trouble. */
function showTrouble(what: 'away' | 'silent' | 'uncancelled'): void {
  trouble.textContent = trouble.dataset[what] ?? '';
  trouble.hidden = false;
}

/** Shows the order's events. The browser itself connects again after a lost connection, but not after a refused one. */
function follow(): void {
  const events = new EventSource(`${url}/events`);
  events.addEventListener('message', ({ data }) => {
    receive(String(data));
    if (view?.isLast) events.close();
  });
  events.addEventListener('trouble', () => {
    showTrouble('away');
  });
  events.addEventListener('error', () => {
    showTrouble('silent');
    if (events.readyState === EventSource.CLOSED) setTimeout(follow, CONNECT_AGAIN_AFTER_MS);
  });
}

follow();
resume.addEventListener('click', openFlow);
cancel.addEventListener('click', () => {
  cancel.toggleAttribute('disabled', true);
  ask('cancel')
    .catch(() => {
      showTrouble('uncancelled');
    })
    .finally(() => {
      cancel.toggleAttribute('disabled', false);
    });
});

// The payor is back by a redirect, which carries no message.
if (returned === 'yes') ask('refresh').catch(reportError);
