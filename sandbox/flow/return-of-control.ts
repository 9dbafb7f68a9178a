import type { SessionOptions } from '../sessions/session';
import { onlyOrigin } from '../http/frame-ancestors';

/** How the payor's time in the flow ended (specification, "Events"). */
export type Outcome = 'SUCCESS' | 'EXIT';

/** How the embedding page gets control back (contract A17, A61). */
export type ReturnOfControl =
  | { readonly by: 'redirect'; readonly url: string }
  | { readonly by: 'message'; readonly step: Outcome; readonly targetOrigin: string };

/** A redirect to the outcome's URL where that is asked for and there is one, else a message. */
export function returnOfControl(
  { redirectPreferences }: Pick<SessionOptions, 'redirectPreferences'>,
  outcome: Outcome,
  frameAncestors: readonly string[],
): ReturnOfControl {
  const { mode, urlSuccess, urlExit } = redirectPreferences;
  const url = outcome === 'SUCCESS' ? urlSuccess : urlExit;
  if (mode === 'RedirectUri' && url !== null) return { by: 'redirect', url };
  const targetOrigin = onlyOrigin(frameAncestors) ?? merchantOrigin([urlSuccess, urlExit]) ?? '*';
  return { by: 'message', step: outcome, targetOrigin };
}

/** The origin that all of the merchant's URLs have, if there are any and they agree. */
function merchantOrigin(urls: readonly (string | null)[]): string | undefined {
  const origins = new Set(urls.flatMap((url) => (url === null ? [] : [new URL(url).origin])));
  return origins.size === 1 ? [...origins][0] : undefined;
}
