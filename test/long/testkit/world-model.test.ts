import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { replayHistories, type RecordedHistory } from '../../../testkit';
import { testBundle } from '../../support/setup/global-values';
import { usePaymentWorld } from '../../support/worlds/payment-world';
import { eft } from '../../support/requests';
import { testSeed } from '../../support/seed';
import { inputOf, LiveSession, SANDBOX } from '../../support/testkit/live-session';
import { actions } from '../../support/testkit/world-actions';
import { expectAgreement, expectSameEnd } from '../../support/testkit/world-agreement';
import { WorldModel, type Start } from '../../support/testkit/world-model';
import { fetchHistory } from '../../../testkit/histories/recorded-history';

/**
 * The number of random sequences. A sequence is a list of acts of payors, callers, the service and the clock, which a whole test world
 * carries out. `npm run test:long` plays a hundred sequences, and `PAYSESSION_TEST_RUNS=1000 npx jest world-model` a thousand. If a
 * sequence fails, the test prints the seed and the shortest sequence that fails. `--seed` plays the sequences of a seed again.
 */
const RUNS = Number(process.env['PAYSESSION_TEST_RUNS'] ?? 10);
const MAX_ACTIONS = 12;
/** A sequence that takes longer counts as failed. */
const LONGEST_SEQUENCE_MS = 30_000;
/** The limit of the whole test, including the search for the shortest failing sequence. */
const LONGEST_MS = 60_000 + RUNS * 2_000;
/** Every fifth history is replayed. */
const SAMPLE = 5;
const SETTLING_MIN = 20;
/** In minutes: longer than all deadlines together. */
const TO_THE_END_MIN = 36_000;

/** The number of sequences that the current world has played. */
let sequences = 0;

const world = usePaymentWorld({ sandbox: SANDBOX }, async () => {
  sequences = 0;
  // The first session of a world starts slowly, and its calls could time out if time skipped meanwhile. So a session without a test comes
  // first.
  const { session } = await world.sessions.open({ key: 'first', request: eft() });
  await session.cancelAndWait();
});

const start: fc.Arbitrary<Start> = fc.record({
  kind: fc.constantFrom('EFT', 'GEFT', 'e-Transfer'),
  cadence: fc.constantFrom('brisk', 'slow'),
  onUnknownCreate: fc.constantFrom('retry', 'park'),
  isShort: fc.boolean(),
  authorizeFaults: fc.constantFrom(0, 0, 0, 1, 5),
  createFaults: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    fc.array(fc.constantFrom('answerLost', 'callLost', 'status500', 'busy'), { maxLength: 4 }),
  ),
  isCancelledMeanwhile: fc.constantFrom(false, false, false, true),
});

async function play(
  begin: Start,
  commands: Iterable<fc.AsyncCommand<WorldModel, LiveSession>>,
): Promise<void> {
  const live = new LiveSession(world, inputOf(`sequence-${(sequences += 1)}`, begin));
  const model = new WorldModel(begin);
  const pass = async (minutes: number) => {
    model.advance(minutes);
    await world.advance(`${minutes}m`);
  };
  try {
    await live.start(begin);
    await pass(SETTLING_MIN);
    await expectAgreement(model, live);
    await fc.asyncModelRun(() => ({ model, real: live }), commands);
    await pass(TO_THE_END_MIN);
    if (model.phase === 'parked') {
      model.resolve('abandon');
      await live.session.resolveCreate({ abandon: true });
    }
    await expectSameEnd(model, live);
  } finally {
    await live.clear();
  }
}

test(
  'after any sequence of acts, a session has the state that a simple model predicts',
  async () => {
    const sequence = fc.asyncProperty(
      start,
      fc.commands(actions, { maxCommands: MAX_ACTIONS, size: '+1' }),
      play,
    );
    await fc.assert(sequence, {
      seed: testSeed(),
      numRuns: RUNS,
      plugins: [fc.timeout(LONGEST_SEQUENCE_MS), fc.interruptAfterTimeLimit(LONGEST_MS)],
    });
  },
  LONGEST_MS + LONGEST_SEQUENCE_MS,
);

async function* sample(): AsyncIterable<RecordedHistory> {
  for (let number = 1; number <= sequences; number += SAMPLE) {
    const name = `sequence-${number}`;
    yield { name, history: await fetchHistory(world.client, name) };
  }
}

test('the recorded histories of these random sequences replay without an error', async () => {
  const { replayed, divergences } = await replayHistories(sample(), { bundlePath: testBundle() });
  expect(divergences).toEqual([]);
  expect(replayed).toBeGreaterThan(0);
});
