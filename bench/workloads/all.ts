import { cancels } from './cancels';
import { consolePages } from './console-pages';
import { checkoutUrls } from './checkout-url';
import { endedSessions } from './ended-sessions';
import { longSession } from './long-sessions';
import { openSessions } from './open-sessions';
import { throughput } from './throughput';
import { waysToWait } from './ways';

export interface Workload {
  readonly name: string;
  readonly title: string;
  /** Left out unless it is asked for by name. */
  readonly isExtra?: true;
  /** Gives figures as JSON: by side where both sides do it. */
  readonly run: () => Promise<unknown>;
}

/** In the order in which they run. All but the extra ones take less than twelve minutes on two cores that are free. */
export const WORKLOADS: readonly Workload[] = [
  {
    name: 'ten-seconds',
    title: 'Sessions that the service completes after 10 s',
    run: () => endedSessions({ sessions: 70, completedAfterMs: 10_000, perSecond: 2 }),
  },
  {
    name: 'five-minutes',
    title: 'Sessions that the service completes after 5 min',
    run: () => endedSessions({ sessions: 30, completedAfterMs: 300_000, perSecond: 1 }),
  },
  {
    name: 'checkout-url',
    title: 'From the start of a session to its checkout URL, one at a time',
    run: () => checkoutUrls(100),
  },
  {
    name: 'throughput',
    title: 'Sessions that the service completes at once, 60 open at a time',
    run: () => throughput({ atOnce: 60, turnMs: 6_000 }),
  },
  {
    name: 'open',
    title: 'Open sessions on one worker, polled each ten seconds',
    run: () => openSessions({ levels: [500, 1_500], pollsEveryMs: 10_000 }),
  },
  {
    name: 'open-20000',
    title: 'Open sessions on one worker, polled each minute',
    isExtra: true,
    run: () => openSessions({ levels: [1_000, 5_000, 20_000], pollsEveryMs: 60_000, inMemory: true }),
  },
  {
    name: 'ways',
    title: 'A poll each three seconds, by the way to wait for the next',
    isExtra: true,
    run: () => waysToWait({ openSessions: 60, pollsEveryMs: 3_000, measuredMs: 45_000 }),
  },
  {
    name: 'console',
    title: 'Pages of the console, with 50,000 sessions in Temporal’s index',
    isExtra: true,
    run: () => consolePages({ sessions: 50_000, looks: 60, databaseFile: process.env['BENCH_DATABASE'] }),
  },
  {
    name: 'abandoned',
    title: 'A session that nobody finishes, cancelled after 25 h',
    run: () => longSession('abandoned'),
  },
  {
    name: 'unsigned',
    title: 'A session that is never signed, for 30 days',
    run: () => longSession('unsigned'),
  },
  {
    name: 'cancels',
    title: 'Cancellations while the polls of 500 sessions hang',
    run: () => cancels({ openSessions: 500, cancels: 30 }),
  },
];

/** What continuous integration can afford: only its ratios are looked at. */
export const QUICK: Workload = {
  name: 'ten-seconds',
  title: 'Sessions that the service completes after 10 s',
  run: () => endedSessions({ sessions: 30, completedAfterMs: 10_000, perSecond: 2 }),
};
