import { describe, expect, test } from '@jest/globals';
import { pollEveryMs, timelineOf } from '../../../../console/session/timeline-section';
import type { SessionView } from '../../../../console/session/view';
import { standingSection } from '../../../../console/session/standing-section';
import { sessionFragment } from '../../../../console/session/session-fragment';
import { eft } from '../../../support/requests';
import { OPERATOR, PAGE_OPTIONS, plain, viewOf } from '../../../support/console/session-page';

const at = (minute: number) => `2031-05-06T12:${String(minute).padStart(2, '0')}:00.000Z`;

/** A session on which a possible orphan, a decision, an unknown status, a cancel and failed calls are recorded. */
const EVENTFUL = viewOf(eft(), {
  phase: 'cancelling',
  cancel: { requestedAt: at(20), by: 'caller' },
  trouble: { code: 'SERVICE_FAILED', message: 'answered 503', since: at(21), failures: 6, until: at(30) },
  anomalies: [
    { kind: 'possibleOrphan', detail: 'create 1: SERVICE_INTERRUPTED', at: at(5) },
    { kind: 'unknownStatus', detail: 'Avery Tremblay', at: at(9) },
  ],
  decisions: [{ decision: 'retry', by: 'Sam', reason: 'not in the list', result: 'applied', at: at(4) }],
});

/** Money that arrived and came back. The endpoint `shop` has refused a webhook, and the endpoint `books` receives no webhooks. */
const SETTLED: Pick<SessionView, 'money' | 'webhooks'> = {
  money: {
    direction: 'DEBIT',
    settled: { kind: 'settled', at: '2031-05-07T00:00:00.000Z', amount: 25 },
    returned: { kind: 'returned', at: '2031-05-08T00:00:00.000Z', amount: 25, code: '901' },
    handled: { kind: 'handled', at: '2031-05-08T09:00:00.000Z', by: 'Sam', reason: 'collected again' },
  },
  webhooks: {
    hasMore: false,
    deliveries: [
      {
        id: 'msg_1',
        type: 'session.paid',
        key: 'order-1',
        number: 4,
        endpoint: 'shop',
        state: 'refused',
        attempts: 3,
        answers: [{ at: '2031-05-07T12:00:00.000Z', outcome: 'HTTP 503' }],
        nextTryAt: '2031-05-07T12:10:00.000Z',
      },
    ],
    waiting: [
      { endpoint: 'books', key: 'order-1', from: 4, to: 5 },
      { endpoint: 'shop', key: 'order-1', from: 4, to: 5, nextTryAt: '2031-05-07T12:10:00.000Z' },
    ],
  },
};

/** Returns the texts of a timeline's events. */
const textsIn = (view: SessionView) => timelineOf(view, OPERATOR).map(({ text }) => text);

describe('the timeline of a session', () => {
  test('lists states, decisions, anomalies, cancels and trouble, newest first, and the next call at the top', () => {
    expect(
      timelineOf(EVENTFUL, OPERATOR).map(({ at: time, text }) => `${time.slice(11, 16)} ${text}`),
    ).toEqual([
      '12:30 Next call',
      '12:21 Calls failing',
      '12:20 Cancellation requested',
      '12:09 Anomaly',
      '12:05 Anomaly',
      '12:04 Decision',
      '12:00 State',
      '12:00 Started',
    ]);
  });

  test('has one row for a cancel with a person’s name, and another row for an earlier cancel without a name', () => {
    const decision = { decision: 'cancel', by: 'Sam', reason: 'ordered twice', result: 'cancelled' } as const;
    const cancel = { requestedAt: at(20), by: 'caller', outcome: 'cancelled' } as const;
    const rowsOf = (decidedAt: string) =>
      textsIn(viewOf(eft(), { cancel, decisions: [{ ...decision, at: decidedAt }] }));
    expect(rowsOf(at(20))).toEqual(['Decision', 'State', 'Started']);
    expect(rowsOf(at(25))).toEqual(['Decision', 'Cancellation requested', 'State', 'Started']);
  });

  test('says in words who decided what and why, and what fails', () => {
    const text = textOf(EVENTFUL);
    expect(text).toContain('Create again by Sam: done Reason: not in the list');
    expect(text).toContain('6 calls in a row failed or were postponed: SERVICE_FAILED');
    expect(text).toContain('Cancellation requested by a caller: in progress');
  });

  test('has a no-break space before a colon in French', () => {
    const { text } = sessionFragment(EVENTFUL, { ...OPERATOR, language: 'FR' }, PAGE_OPTIONS);
    expect(text).toMatch(/par Sam\u00a0:/);
    const french = text.replaceAll(/<span lang="en">[^<]*<\/span>/g, '');
    expect(french).not.toMatch(/[\p{L}\d]: /u);
  });

  test('shows a status that may be personal data as “unreadable”', () => {
    expect(textOf(EVENTFUL)).toContain('unreadable');
    expect(textOf(EVENTFUL)).not.toContain('Avery Tremblay');
  });

  test('has the time of the next poll if the poll’s activity waits on the Temporal server', () => {
    const waiting = { ...viewOf(eft()), nextPollAt: at(40) };
    expect(timelineOf(waiting, OPERATOR)[0]).toMatchObject({ at: at(40), text: 'Next call' });
  });

  test('has the events of money and webhooks, newest first', () => {
    const shown = { ...viewOf(eft()), ...SETTLED };
    expect(textsIn(shown)).toEqual([
      'Return handled',
      'Came back',
      'Webhook refused',
      'Arrived',
      'State',
      'Started',
    ]);
    const text = textOf(shown);
    expect(text).toContain('2031-05-07 Arrived $25.00');
    expect(text).toContain('2031-05-08 Came back $25.00 CAD 901 – Not sufficient funds');
    expect(text).toMatch(
      /Webhook refused session\.paid to shop: HTTP 503 \(3 attempts\) next try 2031-05-07 12:10:00/,
    );
    expect(text).toContain('Webhooks for books are waiting, and the endpoint receives no more until');
    expect(text).not.toContain('Webhooks for shop are waiting');
    const { text: french } = sessionFragment(shown, { ...OPERATOR, language: 'FR' }, PAGE_OPTIONS);
    expect(french).toMatch(
      /Webhook refusé.*à shop\u00a0:\s+HTTP 503\s+\(3 tentatives\)\s+prochaine tentative/s,
    );
  });

  test('says in both languages that older webhook deliveries are left out', () => {
    const { webhooks } = SETTLED;
    if (webhooks === undefined) throw new Error('unreachable');
    const shown = { ...viewOf(eft()), webhooks: { ...webhooks, hasMore: true } };
    expect(textOf(shown)).toContain('Older webhook deliveries are left out.');
    const { text: french } = sessionFragment(shown, { ...OPERATOR, language: 'FR' }, PAGE_OPTIONS);
    expect(french).toContain('Les livraisons de webhooks plus anciennes ne sont pas affichées.');
    expect(textOf({ ...shown, webhooks })).not.toContain('left out');
  });

  test('of a run that continued as new has the session’s start if the ledger knows it, and otherwise no start', () => {
    const continued = { ...viewOf(eft()), runId: 'run-2' };
    expect(textsIn(continued)).toEqual(['State']);
    expect(plain(standingSection(continued, OPERATOR).text)).not.toContain('Started');
    const claimed = { ...continued, money: { claimedAt: at(0) } };
    expect(timelineOf(claimed, OPERATOR).at(-1)).toMatchObject({ at: at(0), text: 'Started' });
  });

  test('has only the start if the session does not answer', () => {
    const { known: _known, ...silent } = viewOf(eft());
    expect(textsIn(silent)).toEqual(['Started']);
  });
});

describe('the interval of a session’s polls', () => {
  const every = (minutes: number, policy = {}) => {
    const { known, stored } = viewOf(eft());
    if (known === undefined || stored?.input === undefined) throw new Error('unreachable');
    const nowMs = Date.parse('2031-05-06T12:00:01.000Z') + minutes * 60_000;
    return pollEveryMs(known, { ...stored.input, policy }, nowMs);
  };

  test('grows with the time since the last change, and is limited by the session’s policy', () => {
    expect([1, 11, 65, 600].map((minutes) => every(minutes))).toEqual([3_000, 60_000, 600_000, 1_800_000]);
    expect(every(600, { slowestPoll: '20s' })).toBe(20_000);
  });

  test('is rounded, so that the page does not change every few seconds', () => {
    expect(new Set([30, 30.1, 30.2, 30.3].map((minutes) => every(minutes))).size).toBe(1);
  });

  test('is described on the page', () => {
    expect(textOf(viewOf(eft(), { phase: 'parked' }))).toContain('not polled yet');
    expect(textOf(viewOf(eft(), { phase: 'ended' }))).toContain('no longer polled');
    expect(textOf(viewOf(eft()))).toContain('The payment service is polled about every');
    const cancelling = textOf(viewOf(eft(), { phase: 'cancelling' }));
    expect(cancelling).toContain('The cancel request is repeated at most about a minute apart');
    expect(cancelling).not.toContain('polled about every');
  });
});

const textOf = (view: Parameters<typeof sessionFragment>[0]): string =>
  sessionFragment(view, OPERATOR, PAGE_OPTIONS)
    .text.replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');
