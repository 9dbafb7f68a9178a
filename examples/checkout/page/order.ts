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
/** True if the payor has left the flow. The page then shows a button that opens the flow again. */
let hasLeft = returned === 'yes';

function find(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no ${id}`);
  return element;
}

/** Posts a request to the shop's server. The server reports the resulting change as an event. */
async function postToShop(what: 'refresh' | 'cancel'): Promise<void> {
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
    refresh: () => postToShop('refresh'),
    onSuccess: closeFlow,
    onExit: () => {
      hasLeft = true;
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
  // The focus was in the flow, which is gone.
  headline.focus();
}

/** Shows the order. Sets all content as text, never as markup. */
function show(): void {
  if (view === undefined) return;
  headline.textContent = view.headline;
  find('detail').textContent = view.detail;
  headline.parentElement?.setAttribute('data-tone', view.tone);
  cancel.hidden = !view.cancellable;
  resume.hidden = embedded !== undefined || view.flow !== 'usable' || !hasLeft;
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
  // The session has just opened. The page's security policy does not allow the flow's origin yet, so the page is
  // reloaded.
  if (checkoutUrl === undefined && view.checkoutUrl !== undefined) location.reload();
  else if (view.flow === 'gone') closeFlow();
  else if (view.flow === 'usable' && !hasLeft) openFlow();
}

/** Shows the page's text about a problem. */
function showTrouble(what: 'away' | 'silent' | 'uncancelled'): void {
  trouble.textContent = trouble.dataset[what] ?? '';
  trouble.hidden = false;
}

/**
 * Shows each event of the order. If the connection is lost, the browser connects again. If the server refuses it, this
 * function connects again.
 */
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
  postToShop('cancel')
    .catch(() => {
      showTrouble('uncancelled');
    })
    .finally(() => {
      cancel.toggleAttribute('disabled', false);
    });
});

// The hosted flow has redirected the payor back to this page. A redirect carries no message, so ask the server to poll
// now.
if (returned === 'yes') postToShop('refresh').catch(reportError);
