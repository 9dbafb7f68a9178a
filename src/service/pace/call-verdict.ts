import { ERROR_CODES, type ServiceFailure } from '../../errors';

/** What a failed call says about the service: `nothing`, that it `answered`, that it `hung`, or that it `failed`. */
export type CallVerdict = 'nothing' | 'answered' | 'hung' | 'failed';

/** A call that got no answer for this long hung; one that was cut off sooner failed. */
const HANG_MS = 1_900;

/** The one rule for how failed calls count for the pace. */
export function verdictOf({ code }: ServiceFailure, tookMs: number): CallVerdict {
  switch (ERROR_CODES[code].outage) {
    case 'unclear':
      return 'nothing';
    case 'unlessSlow':
      return tookMs >= HANG_MS ? 'hung' : 'failed';
    case 'yes':
      return 'failed';
    case 'no':
      return 'answered';
  }
}
