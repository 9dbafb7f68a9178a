import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** undici publishes here, for each request, in the moment before it writes the request's headers to a socket. */
const SEND_HEADERS = 'undici:client:sendHeaders';

/** The header that tells one exchange's message from another's; its value is unique to the exchange. */
export const REQUEST_ID_HEADER = 'x-request-id';

export interface SendWatch {
  /** Whether undici has begun to write the request; from then on the service may have acted on it. */
  readonly sent: boolean;
  stop(): void;
}

/**
 * Watches for the request with this id to be written. The channel is shared by every undici in the process, so each
 * watch hears all requests; it stops with its exchange, and connection slots bound how many there are.
 */
export function watchSend(requestId: string): SendWatch {
  let sent = false;
  const listener = (message: unknown): void => {
    sent ||= headersOf(message)?.includes(requestId) ?? true;
  };
  subscribe(SEND_HEADERS, listener);
  return {
    get sent() {
      return sent;
    },
    stop: () => {
      unsubscribe(SEND_HEADERS, listener);
    },
  };
}

/**
 * The flat list of header names and values that undici keeps on a request. `undefined` should that ever change: then any
 * request may be this one, and a create that may have been sent must not be repeated.
 */
function headersOf(message: unknown): readonly unknown[] | undefined {
  const { request } = message as { readonly request?: { readonly headers?: unknown } };
  return Array.isArray(request?.headers) ? request.headers : undefined;
}
