import type { ServiceFailure } from '../../errors';

/** What a failed call says about the service: `nothing`, that it `answered`, that it `hung`, or that it `failed`. */
export type CallVerdict = 'nothing' | 'answered' | 'hung' | 'failed';

/** A call that got no answer for this long hung; one that was cut off sooner failed. */
const HANG_MS = 1_900;

/** The one rule for how failed calls count for the pace. */
export function verdictOf({ code }: ServiceFailure, tookMs: number): CallVerdict {
  switch (code) {
    // The token source waits with authorizes by itself.
    case 'SERVICE_CREDENTIALS_REJECTED':
    case 'SERVICE_TOKEN_REJECTED':
      return 'nothing';
    case 'SERVICE_INTERRUPTED':
      return tookMs >= HANG_MS ? 'hung' : 'failed';
    case 'SERVICE_UNREACHABLE':
    case 'SERVICE_FAILED':
    case 'SERVICE_RATE_LIMITED':
      return 'failed';
    default:
      return 'answered';
  }
}
