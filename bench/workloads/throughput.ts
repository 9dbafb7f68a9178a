import { withSides, type BothSides } from '../sides/both-sides';
import type { Side } from '../sides/side';
import { warmUp } from './warm-up';

export interface Throughput {
  readonly sessions: number;
  readonly sessionsPerSecond: number;
}

export interface ThroughputOptions {
  /** Sessions that are open at once. */
  readonly atOnce: number;
  /** How long each side runs at a time; each has two turns. */
  readonly turnMs: number;
}

/** Turns of each side: one alone might fall into a quiet moment of the machine. */
const TURNS = 2;

/** As many sessions as a side can do when the service completes each at once; the sides take turns, with the machine to themselves. */
export function throughput({ atOnce, turnMs }: ThroughputOptions): Promise<BothSides<Throughput>> {
  return withSides({ sandbox: { paceMs: 1 } }, async (sides) => {
    await Promise.all(sides.map((side) => warmUp(side)));
    const totals = sides.map(() => ({ sessions: 0, seconds: 0 }));
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const [index, side] of sides.entries()) {
        const total = totals[index];
        if (total === undefined) continue;
        const startedAtMs = performance.now();
        total.sessions += await runTurn(side, `turn-${turn}`, { atOnce, turnMs });
        total.seconds += (performance.now() - startedAtMs) / 1_000;
      }
    }
    return totals.map(({ sessions, seconds }) => ({ sessions, sessionsPerSecond: sessions / seconds }));
  });
}

/** Gives how many sessions it did; the last of them ends with the turn. */
async function runTurn(side: Side, name: string, { atOnce, turnMs }: ThroughputOptions): Promise<number> {
  const endsAtMs = performance.now() + turnMs;
  let started = 0;
  const oneAfterTheOther = async () => {
    while (performance.now() < endsAtMs) {
      started += 1;
      const key = `${name}-${started}`;
      await side.sessions.open(key, `sandbox-completes-${key}`);
      await side.sessions.ended(key);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, oneAfterTheOther));
  return started;
}
