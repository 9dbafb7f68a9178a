/** A kind of payor: its share of all payors, and when payors of this kind finish. */
export interface PayorKind {
  readonly name: string;
  /** The median of a log-normal distribution: half of these payors finish sooner. Absent for payors who never finish. */
  readonly medianMs?: number;
  /** The spread of the distribution: about two thirds finish within a factor of e^spread of the median. */
  readonly spread?: number;
  /** The share of this kind among all payors. */
  readonly weight: number;
  /** The share of these payors who return to the merchant's page, which requests a refresh. */
  readonly refreshShare: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * Assumptions, not measurements: replace them with your own. A bank login mostly takes two minutes. Some payors have
 * their bank's application open, some must find a card first, and a mailed link is opened the next day. A fifth never
 * finishes: abandoned checkouts are more frequent, but most of them never reach the payment. Three in five payors who
 * finish return to the merchant's page. The others have closed the tab, or use another device.
 */
export const PAYORS: readonly PayorKind[] = [
  { name: '20 s', medianMs: 20 * SECOND, spread: 0.4, weight: 0.1, refreshShare: 0.65 },
  { name: '2 min', medianMs: 2 * MINUTE, spread: 0.5, weight: 0.45, refreshShare: 0.65 },
  { name: '10 min', medianMs: 10 * MINUTE, spread: 0.5, weight: 0.2, refreshShare: 0.5 },
  { name: '1 day', medianMs: 20 * HOUR, spread: 0.3, weight: 0.05, refreshShare: 0.3 },
  { name: 'never', weight: 0.2, refreshShare: 0 },
];

/** The default deadline: the model follows no session for longer. */
export const FOLLOWED_FOR_MS = 25 * HOUR;

/** The delay until a session is known to have ended if the merchant's page requests a refresh. */
export const REFRESH_DELAY_MS = 300;
