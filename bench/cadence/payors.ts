/** An assumption about some of the payors: their share of all payors, and when they finish. */
export interface PayorKind {
  readonly name: string;
  /**
   * Half of these payors finish before this time. It is the median of a log-normal distribution. Absent for payors who
   * never finish.
   */
  readonly medianMs?: number;
  /**
   * The spread of the distribution: about two thirds of these payors finish between median / e^spread and median *
   * e^spread.
   */
  readonly spread?: number;
  /** The share of this kind among all payors. */
  readonly weight: number;
  /** The share of these payors who return to the merchant's page. The page then requests a refresh of the session's state. */
  readonly refreshShare: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * All payors of the model. These are assumptions, not measurements: replace them with your own. For most payors, the
 * bank login takes two minutes. Some payors are faster, because their bank's application is open. Some must first find
 * a card. Some open a mailed link the next day. A fifth of the payors never finishes. (Payors who leave the shop before
 * its payment page have no session, so the model leaves them out.) Of the payors who finish, three in five return to the merchant's page. The
 * others have closed the tab, or use another device.
 */
export const PAYORS: readonly PayorKind[] = [
  { name: '20 s', medianMs: 20 * SECOND, spread: 0.4, weight: 0.1, refreshShare: 0.65 },
  { name: '2 min', medianMs: 2 * MINUTE, spread: 0.5, weight: 0.45, refreshShare: 0.65 },
  { name: '10 min', medianMs: 10 * MINUTE, spread: 0.5, weight: 0.2, refreshShare: 0.5 },
  { name: 'next day', medianMs: 20 * HOUR, spread: 0.3, weight: 0.05, refreshShare: 0.3 },
  { name: 'never', weight: 0.2, refreshShare: 0 },
];

/** The model follows a session for this time at most. It is the default deadline. */
export const FOLLOWED_FOR_MS = 25 * HOUR;

/** If the merchant's page requests a refresh, the end of the session is known after this time. */
export const REFRESH_DELAY_MS = 300;
