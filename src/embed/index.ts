/** The end of the payor's visit to the hosted flow (contract A61). */
export type FinalStep = 'SUCCESS' | 'EXIT';

/** Options of `embedCheckout`. */
export interface EmbedCheckoutOptions {
  /** The element that will contain the flow. */
  readonly container: Element;
  /** The session's `checkoutUrl`, absolute, http or https. */
  readonly checkoutUrl: string | URL;
  /** Called when the payor is done. Only the session's state on your server shows whether the payment is completed. */
  readonly onSuccess: () => void;
  /** Called when the payor has left the flow, or has read why the payment failed. The payor may come back while the session is open. */
  readonly onExit: () => void;
  /** Called for any other step; the service may add steps (contract A61). @default ignored */
  readonly onStep?: (step: string) => void;
  /**
   * Called when `SUCCESS` or `EXIT` arrives. Call your server here, which then calls the session's `refresh()`. `onSuccess`
   * or `onExit` follows once this has settled, so that your server's answers are up to date, or after `refreshTimeoutMs`.
   * @default none
   */
  readonly refresh?: (step: FinalStep) => unknown;
  /** The longest time that `onSuccess` and `onExit` wait for `refresh`, in milliseconds. @default 5000 */
  readonly refreshTimeoutMs?: number;
  /** The frame's name for screen readers, in the language of the page. @default 'Payment' */
  readonly title?: string;
}

/** A flow that is on the page. */
export interface EmbeddedCheckout {
  /** The frame, which you may style: its class is `paysession-checkout`. */
  readonly iframe: HTMLIFrameElement;
  /** Removes the flow from the page. No callback is called afterwards. The session continues. To end it, cancel it on your server. */
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
 * Puts the hosted flow into the container. Only messages from this frame and the checkout URL's origin count.
 *
 * @throws `TypeError` if the URL is not an absolute http or https URL, or the container's document is not in a window
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
