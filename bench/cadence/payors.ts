/** A kind of payor: when they finish, and how many of them there are. */
export interface PayorKind {
  readonly name: string;
  /** The middle of a log-normal distribution: half of them finish sooner. Absent for those who never do. */
  readonly medianMs?: number;
  /** Its spread: about two thirds finish within a factor of e^spread of the middle. */
  readonly spread?: number;
  /** Their share of all payors. */
  readonly weight: number;
  /** How many of them come back to the merchant's page, whose message asks for a look at once. */
  readonly refreshShare: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * Assumptions, not measurements: put your own in. A bank login is mostly a matter of two minutes; some have their bank's
 * application at hand, some must look for a card first; a link that was mailed is opened the next day. A fifth never
 * comes: abandoned checkouts are more frequent, but most of these never reach the payment. Who stays in the flow mostly
 * ends on the merchant's page; one of three has closed the tab, or is on another device.
 */
export const PAYORS: readonly PayorKind[] = [
  { name: '20 s', medianMs: 20 * SECOND, spread: 0.4, weight: 0.1, refreshShare: 0.65 },
  { name: '2 min', medianMs: 2 * MINUTE, spread: 0.5, weight: 0.45, refreshShare: 0.65 },
  { name: '10 min', medianMs: 10 * MINUTE, spread: 0.5, weight: 0.2, refreshShare: 0.5 },
  { name: '1 day', medianMs: 20 * HOUR, spread: 0.3, weight: 0.05, refreshShare: 0.3 },
  { name: 'never', weight: 0.2, refreshShare: 0 },
];

/** The default deadline: nobody is followed for longer. */
export const FOLLOWED_FOR_MS = 25 * HOUR;

/** How soon a session is known to have ended when the page asks for a look. */
export const REFRESH_DELAY_MS = 300;
