import { expect, test } from '@jest/globals';
import type { LedgerSession } from '../../../ledger';
import type { Overviewed } from '../../../console/overview/overview-figures';
import { overviewContent } from '../../../console/overview/overview-page';
import type { SessionSummary } from '../../../src';
import { plain } from '../../support/console/session-page';

const QUIET: Overviewed = {
  parked: { sessions: [] },
  workers: [],
  hasWorker: true,
  parkedCount: 0,
  accounts: { accounts: [] },
  problems: new Map(),
  ages: [],
  ends: { groups: [], neverCreated: 0 },
  completed: { opening: [], delays: [] },
  payments: undefined,
  returns: undefined,
  open: undefined,
  money: undefined,
};

const shown = (changed: Partial<Overviewed>, language: 'EN' | 'FR' = 'EN') =>
  plain(overviewContent({ ...QUIET, ...changed }, { language, timeZone: 'America/Toronto' }).text);

const ENDS: Overviewed['ends'] = {
  groups: [
    { status: 'Completed', code: 'EFT0301', count: 7 },
    { status: 'Failed', code: 'EFT0404', count: 2 },
    { status: 'Completed', code: 'EFT0302', count: 1 },
    { status: 'Completed', kind: 'e-Transfer', count: 4 },
    { status: 'Completed', count: 3 },
  ],
  neverCreated: 1,
};

test('the ends of today’s sessions are shown in the reader’s language, with the service’s code', () => {
  const text =
    'Paid, EFT0301 7 Failed, EFT0404 2 Over, unsigned, EFT0302 1 Paid, e-Transfer 4 Over, unclear 3 Ended with an error 1';
  expect(shown({ ends: ENDS })).toContain(text);
  expect(shown({ ends: ENDS }, 'FR')).toContain('Payée, EFT0301 7 Échouée, EFT0404 2');
});

const RETURNED = {
  ...{ key: 'order-1', claim: 1, firstRunId: 'run-1', kind: 'EFT', direction: 'DEBIT', account: 'default' },
  ...{ outcome: 'ended', status: 'Completed', code: 'EFT0301', paid: true, amount: 25, currency: 'CAD' },
  ...{ claimedAt: '2026-03-01T12:00:00.000Z', endedAt: '2026-03-01T12:00:00.000Z', money: 'returned' },
  ...{ returnedAt: '2026-06-01T00:00:00.000Z', returnCode: '901' },
} as LedgerSession;

test('a payment that came back is listed as waiting for a decision, with the reason', () => {
  const returns = { payments: [RETURNED], count: 12 };
  expect(shown({ returns })).toMatch(
    /12 payments came back .*901 – Not sufficient funds.*All payments that came/,
  );
  expect(shown({ returns })).not.toContain('Nothing is waiting for you');
  expect(shown({ returns: { ...returns, count: 1 } }, 'FR')).toMatch(
    /1 paiement est retourné .*Provision insuffisante/,
  );
  expect(shown({ returns: { payments: [], count: 0 } })).toContain('Nothing is waiting for you');
});

test('a row says that money came back, unless the state in the row already says so', () => {
  const { endedAt: _endedAt, ...open } = { ...RETURNED, outcome: 'open' } as const;
  const rowOf = (payment: LedgerSession) => shown({ returns: { payments: [payment], count: 1 } });
  expect(rowOf(open)).toContain('Paid Completed EFT0301 Came back 2026-06-01 901');
  expect(rowOf(RETURNED)).toContain('Money returned Completed EFT0301 2026-06-01 901');

  const run = { key: 'order-1', runId: 'run-1', paid: false, problems: [], startedAt: new Date(0) };
  const listed = (summary: Partial<SessionSummary>) =>
    shown({
      parked: { sessions: [{ ...run, running: true, ...summary }] },
      payments: new Map([['run-1', RETURNED]]),
    });
  expect(listed({ phase: 'parked' })).toContain('Waiting for a decision Came back 2026-06-01 901');
  expect(listed({ phase: 'ended', running: false })).toContain('Money returned 2026-06-01 901');
});

test('an unreadable ledger is reported, even if only one figure of the ledger cannot be read', () => {
  const unread = { unread: 'LEDGER_UNAVAILABLE' } as const;
  const read = { returns: { payments: [], count: 0 }, open: { late: 0, lines: 0 } };
  for (const unknown of [{ returns: unread }, { open: unread }, { returns: unread, open: unread }]) {
    const text = shown({ ...read, ...unknown });
    expect(text).toMatch(/Waiting for a decision The ledger cannot be read LEDGER_UNAVAILABLE –/);
    expect(text).not.toContain('Nothing is waiting for you');
  }
  expect(shown({ ...read, returns: { payments: [RETURNED], count: 1 }, open: unread })).toMatch(
    /The ledger cannot be read.*1 payment came back/,
  );
  expect(shown({ returns: unread }, 'FR')).toContain('Impossible de lire le registre');
});

test('while the ledger is still counting, the page does not say that nothing is waiting', () => {
  const text = shown({ returns: { payments: [], count: 0 }, open: 'counting' });
  expect(text).toMatch(/Waiting for a decision Still counting/);
  expect(text).not.toContain('Nothing is waiting for you');
});

test('late money and lines without a matching payment are listed as waiting, with links to their lists', () => {
  const open = { late: 1, lines: 12 };
  expect(shown({ open })).toMatch(/The money of 1 payment is late.*All late.*No payment matches 12 lines/);
  expect(shown({ open }, 'FR')).toMatch(/L’argent de 1 paiement est en retard.*12 lignes des fichiers/);
  expect(shown({ open: { late: 0, lines: 0 } })).toContain('Nothing is waiting for you');
  const { text } = overviewContent({ ...QUIET, open }, { language: 'EN', timeZone: 'UTC' });
  expect(text).toContain('href="/payments?money=late"');
  expect(text).toContain('href="/reconciliation"');
});

test('unverified ends are shown separately, with a link to their list', () => {
  const ends = {
    groups: [{ status: 'Initiated', code: 'EFT0101', unverified: true, count: 2 } as const],
    neverCreated: 0,
  };
  expect(shown({ ends })).toContain('Over, unverified, EFT0101 2');
  expect(overviewContent({ ...QUIET, ends }, { language: 'EN', timeZone: 'UTC' }).text).toContain(
    'problem=unverifiedEnd',
  );
});

test('an unverified end with an unknown status is not shown as an error', () => {
  const ends = { groups: [{ unverified: true, count: 2 } as const], neverCreated: 0 };
  expect(shown({ ends })).toContain('Over, unverified 2');
  expect(shown({ ends })).not.toContain('Ended with an error');
});

test('if nothing needs an operator, each part says so', () => {
  expect(shown({})).toMatch(/Nothing is waiting for you.*All accounts are working.*No other problems/);
});

const WORKER = { identity: 'worker-1', version: undefined, getsSessions: true };

test('if no worker has polled recently, the page says so, and shows earlier workers as not responding', () => {
  const gone = { ...WORKER, recent: false, polledAtMs: Date.now() - 60_000 };
  expect(shown({ workers: [gone] })).toMatch(/No worker polls the task queue.*worker-1 Not responding/);
  expect(shown({ workers: [{ ...gone, recent: true }] })).not.toContain('No worker polls');
});

test('a worker is shown as idle if it has not polled for a while, and as not responding if no worker answers', () => {
  const polled = (secondsAgo: number) => ({
    ...WORKER,
    recent: true,
    polledAtMs: Date.now() - secondsAgo * 1_000,
  });
  expect(shown({ workers: [polled(1)] })).toMatch(/worker-1 Active (now|\d sec\. ago)$/);
  expect(shown({ workers: [polled(40)] })).toMatch(
    /worker-1 Idle [34]\d sec\. ago An idle worker polls once a minute/,
  );
  const text = shown({ workers: [polled(1)], hasWorker: false });
  expect(text).toMatch(/No worker answers.*worker-1 Not responding/);
});

test('workers of a version that is not current are marked, and the page says what to do if there are no other workers', () => {
  const version = { deploymentName: 'payments', buildId: '2' };
  const here = { recent: true, polledAtMs: Date.now() };
  const next = { ...WORKER, ...here, identity: 'worker-2', version, getsSessions: false };
  const text = shown({ workers: [next], hasWorker: false });
  expect(text).toMatch(/No worker gets sessions.*paysession doctor.*worker-2 Version not current/);
  const both = shown({ workers: [{ ...WORKER, ...here }, next] });
  expect(both).toMatch(/worker-1 Active .*worker-2 Version not current/);
  expect(both).not.toContain('No worker gets');
});

test('a count that is not loaded yet is not shown as 0', () => {
  const text = shown({ accounts: undefined, ends: undefined });
  expect(text).toMatch(/Accounts in trouble Still counting.*Ended today \(America\/Toronto\) Still counting/);
  expect(text).not.toContain('All accounts are working');
});

test('delays are shown by the median, and by the slowest of a few sessions or the 95th percentile of many sessions', () => {
  const delays = Array.from({ length: 100 }, (_, index) => (index + 1) * 100);
  const completed = { opening: [300, 400, 2_500], delays };
  expect(shown({ completed })).toMatch(
    /Median 400 ms Slowest 2\.5 s.*Median 5 s 95% noticed within 9\.5 s Based on the last 100/,
  );
  expect(shown({ completed }, 'FR')).toContain('Médiane 5 s 95 % constatées en 9,5 s');
});
