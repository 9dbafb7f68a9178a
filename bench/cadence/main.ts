import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { intervalMs, cadenceOf } from '../../src/protocol/cadence';
import { PROJECT } from '../report/project';
import { asText } from '../report/table';
import { requestOf } from '../sides/request';
import { choices } from './choices';
import { hinted } from './hinted';
import { equalFixedInterval, expectedFor, expectedForAll, fixed, pollTimes, type Cadence } from './model';
import { PAYORS } from './payors';
import { plot, type Line, type Panel } from './plot';
import { resolvePolicy } from '../../src/protocol/policy';

/**
 * Computes how late a worker notices the end of a session, and how many requests this takes. Compares paysession's
 * default intervals between polls (its cadence) with three others: a fixed interval with the same mean delay as the
 * default, other values of `slowestPoll`, and hints. Prints a table of each comparison, and writes a plot of the first
 * comparison for the docs.
 */
const PLOT = join(PROJECT, 'docs', 'guides', 'cadence.svg');

const policy = resolvePolicy({}, requestOf('cadence'));
const withPayor = cadenceOf({ status: 'Initiated', code: 'EFT0101' }, policy);
const cadence: Cadence = (sinceChangeMs) => intervalMs(withPayor, sinceChangeMs);

const seconds = (milliseconds: number | undefined): string =>
  milliseconds === undefined ? '' : (milliseconds / 1_000).toPrecision(3);

function main(): void {
  const all = expectedForAll(PAYORS, cadence);
  const equalMs = equalFixedInterval(PAYORS, all.delayMs);
  const compared = fixed(equalMs);
  const [ours, theirs] = [pollTimes(cadence), pollTimes(compared)];
  const rows = PAYORS.map((kind) => {
    const [one, other] = [expectedFor(kind, ours), expectedFor(kind, theirs)];
    return [
      `${kind.name} (${Math.round(kind.weight * 100)} %)`,
      seconds(one.delayMs),
      one.requests.toFixed(0),
      seconds(other.delayMs),
      other.requests.toFixed(0),
    ];
  });
  const allFixed = expectedForAll(PAYORS, compared);
  const last = [
    'all',
    seconds(all.delayMs),
    all.requests.toFixed(0),
    seconds(allFixed.delayMs),
    allFixed.requests.toFixed(0),
  ];
  const interval = `fixed, ${seconds(equalMs)} s`;
  const header = [
    'finishes after',
    'delay (s)',
    'requests',
    `delay (s), ${interval}`,
    `requests, ${interval}`,
  ];
  const tables = [[header, ...rows, last], choices(PAYORS, withPayor), hinted(PAYORS, withPayor)];
  process.stdout.write(`${tables.map(asText).join('\n\n')}\n`);
  writeFileSync(PLOT, plot(panelsOf(ours, theirs, interval)));
}

function panelsOf(ours: readonly number[], theirs: readonly number[], interval: string): readonly Panel[] {
  const lines = (valuesOf: (polls: readonly number[]) => Line['points']): readonly Line[] => [
    { label: 'paysession', colour: '#1f6feb', points: valuesOf(ours) },
    { label: interval, colour: '#bf5b04', points: valuesOf(theirs) },
  ];
  return [
    {
      title: 'Expected delay without a refresh, by when the payor finishes',
      ticks: [
        [500, '0.5 s'],
        [1_000, '1 s'],
        [10_000, '10 s'],
        [60_000, '1 min'],
        [200_000, '200 s'],
      ],
      lines: lines((polls) =>
        thinned(polls.map((atMs, index) => [atMs, (atMs - (polls[index - 1] ?? 0)) / 2])),
      ),
    },
    {
      title: 'Requests since the session was opened',
      ticks: [
        [1, '1'],
        [10, '10'],
        [100, '100'],
        [1_000, '1,000'],
        [10_000, '10,000'],
      ],
      lines: lines((polls) => thinned(polls.map((atMs, index) => [atMs, index + 1]))),
    },
  ];
}

/** Removes points that are less than five per cent of the time apart, because they are not visible separately. */
function thinned(points: Line['points']): Line['points'] {
  const kept: (readonly [number, number])[] = [];
  for (const point of points) {
    if (point[0] >= (kept.at(-1)?.[0] ?? 0) * 1.05) kept.push(point);
  }
  return kept;
}

main();
