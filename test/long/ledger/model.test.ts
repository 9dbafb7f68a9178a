import { test } from '@jest/globals';
import fc from 'fast-check';
import { history, textOf } from '../../support/ledger/model/operations';
import { play } from '../../support/ledger/model/play';
import { newStage } from '../../support/ledger/model/stage';
import { testSeed } from '../../support/seed';

const RUNS = Number(process.env['PAYSESSION_TEST_RUNS'] ?? 10);
const LONGEST_MS = 120_000 + RUNS * 10_000;

test(
  'after random sequences of operations, the ledger contains exactly what happened',
  async () => {
    const stage = await newStage();
    await fc.assert(
      fc.asyncProperty(history, async (operations) => {
        await play(stage, operations);
      }),
      {
        seed: testSeed(),
        numRuns: RUNS,
        // eslint-disable-next-line @typescript-eslint/no-deprecated -- its plugin would make the type of counterexamples unknown
        interruptAfterTimeLimit: LONGEST_MS,
        // eslint-disable-next-line @typescript-eslint/no-deprecated -- as above
        reporter: (details) => {
          if (!details.failed) return;
          const [operations = []] = details.counterexample ?? [];
          throw new Error(
            `--seed ${details.seed}, after ${details.numRuns} histories and ${details.numShrinks} shrinks:\n${operations.map(textOf).join('\n')}\n${String(details.errorInstance)}`,
          );
        },
      },
    );
  },
  LONGEST_MS + 60_000,
);
