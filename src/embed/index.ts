/**
 * The message with which the hosted flow reports the end of the payor's visit. `SUCCESS`: the payor is done. `EXIT`: the payor has
 * left.
 */
export type FinalStep = 'SUCCESS' | 'EXIT';

/** Options of `embedCheckout`. */
export interface EmbedCheckoutOptions {
  /** The element into which the hosted flow is put. */
  readonly container: Element;
  /** The session's `checkoutUrl`. Must be an absolute http or https URL. */
  readonly checkoutUrl: string | URL;
  /** Called when the payor is done. This does not prove that the payment is completed: read the session's state on your server. */
  readonly onSuccess: () => void;
  /**
   * Called when the payor has left the flow, or has read why the payment failed. While the session is open, the payor may come back.
   */
  readonly onExit: () => void;
  /** Called for any other step. The service may add steps. @default other steps are ignored */
  readonly onStep?: (step: string) => void;
  /**
   * Called when `SUCCESS` or `EXIT` arrives, before `onSuccess` or `onExit`. Call your server here, and let your server call the
   * session's `refresh()`, so that its next answers are up to date. `onSuccess` or `onExit` follows once the returned promise has
   * settled, or after `refreshTimeoutMs`.
   * @default none
   */
  readonly refresh?: (step: FinalStep) => unknown;
  /** The longest time that `onSuccess` and `onExit` wait for `refresh`, in milliseconds. @default 5000 */
  readonly refreshTimeoutMs?: number;
  /** The frame's name for screen readers, in the language of the page. @default 'Payment' */
  readonly title?: string;
}

/** The hosted flow on your page. */
export interface EmbeddedCheckout {
  /** The frame. To style it, use its class `paysession-checkout`. */
  readonly iframe: HTMLIFrameElement;
  /**
   * Removes the flow from the page. After that, no callback is called. The session continues. To end the session, cancel it on your
   * server.
   */
  close(): void;
}

const SANDBOX = [
  // The flow's own scripts, forms and origin. Without its own origin, its messages would come from the origin "null".
  'allow-scripts',
  'allow-forms',
  'allow-same-origin',
  // `RedirectUri`: the script of the flow's last page moves the whole window, without a click in that page.
  'allow-top-navigation',
  // A bank's own login, its terms and the signed agreement open in windows of their own, or are downloaded.
  'allow-popups',
  'allow-popups-to-escape-sandbox',
  'allow-downloads',
];

/**
 * Puts the hosted flow into the container. Accepts messages only from its frame and the URL's origin.
 *
 * @throws `TypeError` if the URL is not an absolute http or https URL, or if the container's document is not in a window
 *
 * @example
 * ```ts
 * embedCheckout({
 *   container: document.body,
 *   checkoutUrl: 'https://pay.example/',
 *   onSuccess: () => location.assign('/paid'),
 *   onExit: () => location.reload(),
 * });
 * ```
 */
export function embedCheckout(options: EmbedCheckoutOptions): EmbeddedCheckout {
  const url = readUrl(options.checkoutUrl);
  const view = options.container.ownerDocument.defaultView;
  if (view === null) throw new TypeError('The container needs a window.');
  const iframe = createFrame(options.container.ownerDocument, url, options.title ?? 'Payment');
  let closed = false;

  const end = async (step: FinalStep): Promise<void> => {
    await settled(() => options.refresh?.(step), options.refreshTimeoutMs ?? 5_000);
    if (closed) return;
    if (step === 'SUCCESS') options.onSuccess();
    else options.onExit();
  };
  const listen = ({ source, origin, data }: MessageEvent<unknown>): void => {
    if (source === null || source !== iframe.contentWindow || origin !== url.origin) return;
    const step = stepOf(data);
    if (step === 'SUCCESS' || step === 'EXIT') end(step).catch(reportError);
    else if (step !== undefined) options.onStep?.(step);
  };

  // Before the frame loads, so that no message is missed.
  view.addEventListener('message', listen);
  options.container.append(iframe);
  return {
    iframe,
    close: () => {
      closed = true;
      view.removeEventListener('message', listen);
      iframe.remove();
    },
  };
}

function readUrl(checkoutUrl: string | URL): URL {
  const url = new URL(checkoutUrl);
  // A frame runs a `javascript:` URL as the page that embeds it.
  if (url.protocol === 'https:' || url.protocol === 'http:') return url;
  throw new TypeError('checkoutUrl must be an http or https URL, as `PaymentSessions.open` returns it.');
}

/** Creates the frame. Without `allow`, a page of another origin gets no camera, location or the like. */
function createFrame(document: Document, url: URL, title: string): HTMLIFrameElement {
  const iframe = document.createElement('iframe');
  iframe.className = 'paysession-checkout';
  iframe.title = title;
  iframe.setAttribute('sandbox', SANDBOX.join(' '));
  // The payment service may learn which site embeds it, but not the page, whose address may name an order.
  iframe.referrerPolicy = 'strict-origin';
  // Attributes: any style sheet of the merchant overrides them, and no content security policy blocks them.
  const looks = { width: '100%', height: '720', frameborder: '0' };
  for (const [name, value] of Object.entries(looks)) iframe.setAttribute(name, value);
  iframe.src = url.href;
  return iframe;
}

function stepOf(data: unknown): string | undefined {
  const step = typeof data === 'object' && data !== null && 'Step' in data ? data.Step : undefined;
  return typeof step === 'string' ? step : undefined;
}

/** Waits for the hook, at most `timeoutMs`. Reports its error to the page, and continues. */
async function settled(hook: () => unknown, timeoutMs: number): Promise<void> {
  const late = new Promise((resolve) => {
    setTimeout(resolve, timeoutMs);
  });
  // Inside a promise, so that an error thrown at once is caught, too.
  const done = new Promise((resolve) => {
    resolve(hook());
  }).catch(reportError);
  await Promise.race([done, late]);
}
