import type { DataConverter } from '@temporalio/common';
import { replayHistories, type RecordedHistory } from '../../../testkit';
import type { Violation } from './evidence';
import { prefixes } from '../../../testkit/histories/recorded-history';

export interface Replays {
  readonly violations: readonly Violation[];
  /** The number of whole histories that were replayed, and the number of beginnings. */
  readonly whole: number;
  readonly prefixes: number;
}

export interface ReplaysOptions {
  readonly bundlePath: string;
  readonly dataConverter: DataConverter;
  /** For one in this many histories, every beginning is replayed, too. */
  readonly prefixesOneOf: number;
  /** The longest time for all replays, in milliseconds. Whole histories may use one half of it, and beginnings the other half. */
  readonly longestMs: number;
  /** Called with each history, or beginning of a history, that does not replay. */
  readonly onDiverged?: ((recorded: RecordedHistory) => void) | undefined;
}

/** Invariant (f): each history replays on the current code. For some histories, every beginning replays, too. */
export async function checkReplays(
  histories: readonly RecordedHistory[],
  { bundlePath, dataConverter, prefixesOneOf, longestMs, onDiverged }: ReplaysOptions,
): Promise<Replays> {
  const options = { bundlePath, dataConverter };
  const inTime = function* (recorded: Iterable<RecordedHistory>): Iterable<RecordedHistory> {
    const untilMs = Date.now() + longestMs / 2;
    for (const one of recorded) if (Date.now() < untilMs) yield one;
  };
  const whole = await replayHistories(inTime(histories), options);
  const beginnings = histories
    .filter((_, index) => index % prefixesOneOf === 0)
    .flatMap(({ name, history }) =>
      prefixes(history).map((prefix) => ({
        name: `${name} until event ${prefix.events?.length ?? 0}`,
        history: prefix,
      })),
    );
  const parts = await replayHistories(inTime(beginnings), options);
  const violations = [...whole.divergences, ...parts.divergences].map(
    ({ name, event, message }): Violation => ({
      invariant: 'f',
      where: name,
      what: `does not replay from event ${event.id} (${event.type}): ${message}`,
    }),
  );
  const diverged = new Set(violations.map(({ where }) => where));
  for (const recorded of [...histories, ...beginnings])
    if (diverged.has(recorded.name)) onDiverged?.(recorded);
  return { violations, whole: whole.replayed, prefixes: parts.replayed };
}
