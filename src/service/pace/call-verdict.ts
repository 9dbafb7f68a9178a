import { ERROR_CODES, type ServiceFailure } from '../../errors';

/** What a failed call tells of the service: `nothing`, that it `answered`, or that it `failed`, at once or by hanging. */
export type CallVerdict = 'nothing' | 'answered' | 'hung' | 'failed';

/** A call that was sent and got no answer for so long hung; one that was cut off sooner failed. */
const HANG_MS = 1_900;

/** The one rule by which failed calls are told to the pace. */
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
