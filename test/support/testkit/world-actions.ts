import { expect } from '@jest/globals';
import fc from 'fast-check';
import type { Fault } from '../../../sandbox';
import { isPaysessionError } from '../../../src/errors';
import { refusal, type LiveSession } from './live-session';
import { PAYOR_ACTIONS, type PayorAction } from './service-model';
import { expectAgreement } from './world-agreement';
import type { Resolution, WorldModel } from './world-model';
import type { FaultyRoute } from '../../../sandbox/calls/faults';

/** An action of the payor, the caller, the service or the clock. It is carried out in the model and in the real payment world. */
export type Action = fc.AsyncCommand<WorldModel, LiveSession>;

interface Doing {
  /** @default always */
  readonly when?: (model: Readonly<WorldModel>) => boolean;
  readonly play: (model: WorldModel, live: LiveSession) => Promise<void>;
}

function action(name: string, { when = () => true, play }: Doing): Action {
  return {
    check: when,
    run: async (model, live) => {
      await play(model, live);
      await expectAgreement(model, live);
    },
    toString: () => name,
  };
}

const isOpen = ({ phase }: Readonly<WorldModel>) => phase === 'open';

/** False for a signature after its deadline. Whether it counts depends on the time of a poll, which the model does not know. */
const isTimely = (model: Readonly<WorldModel>, done: PayorAction, atMin: number) =>
  done !== 'signsPad' || atMin < model.signableUntilMin();

const payorActs = (done: PayorAction): Action =>
  action(`payor ${done}`, {
    when: (model) => isOpen(model) && isTimely(model, done, model.nowMin),
    play: async (model, live) => {
      const refused = model.session?.act(done, model.nowMin) ?? 'nothing';
      const payor = live.world.payor(await live.sessionId());
      const acting = payor[done]();
      const answer = await acting.then(
        () => 'nothing',
        (error: unknown) => /: (\w+)\.$/.exec(String(error))?.[1] ?? error,
      );
      expect(answer).toBe(refused);
    },
  });

const payorPlans = (done: PayorAction, afterMin: number): Action =>
  action(`payor ${done} after ${afterMin}m`, {
    when: (model) => {
      const atMin = model.nowMin + afterMin;
      const isFree = model.session?.isPlanned(atMin) === false;
      return isOpen(model) && isFree && isTimely(model, done, atMin);
    },
    play: async (model, live) => {
      model.session?.plan(done, model.nowMin + afterMin);
      const payor = live.world.payor(await live.sessionId()).after(`${afterMin}m`);
      await payor[done]();
    },
  });

const LONG_MIN = 600;

const timePasses = (minutes: number): Action =>
  action(minutes < LONG_MIN ? `${minutes} min pass` : `${minutes / 60} h pass`, {
    // An open session expires within hours. So long waits are only for sessions that wait for a signature or an operator.
    when: ({ session }) => minutes < LONG_MIN || session?.isOpen() !== true,
    play: async (model, live) => {
      model.advance(minutes);
      await live.world.advance(`${minutes}m`);
    },
  });

const STATUS_503: Fault = { kind: 'status', status: 503 };

const faults = (name: string, route: FaultyRoute, fault: Fault, times: number): Action =>
  action(`service: ${name}${times > 1 ? ` ×${times}` : ''}`, {
    play: (model, live) => {
      // A failed request for a token also makes a poll fail.
      if (route !== 'cancel') model.pollFaults += times;
      live.world.service.fail(route, fault, times);
      return Promise.resolve();
    },
  });

const tokensRevoked = action('service: tokens are revoked', {
  play: (_model, live) => {
    live.world.sandbox.revokeTokens();
    return Promise.resolve();
  },
});

const refreshes = action('caller refreshes', {
  // A refresh of a session that is being created would wait for the first poll.
  when: ({ phase }) => phase !== 'creating',
  play: async (model, live) => {
    const isCertain = model.refresh();
    const { status, code = '' } = await live.passing(live.session.refresh());
    if (isCertain && isOpen(model)) expect(`${status ?? ''}/${code}`).toBe(model.session?.state);
  },
});

const cancels = action('caller cancels', {
  play: async (model, live) => {
    model.cancel();
    await live.session.cancel();
    await live.cancelSettled();
  },
});

const cancelsAndWaits = action('caller cancels and waits', {
  play: async (model, live) => {
    const expected = model.cancel();
    const outcome = await live.passing(live.session.cancelAndWait()).then(
      (reply): string => reply.outcome,
      (error: unknown) => (isPaysessionError(error) ? error.code : error),
    );
    expect(expected).toContain(outcome);
  },
});

const SETTLING_MIN = 20;

const startsAgain = action('caller starts again', {
  when: (model) => !model.leftNothing(),
  play: async (model, live) => {
    const session = await live.world.sessions.start(live.input);
    expect(session.key).toBe(live.input.key);
    if (isOpen(model)) expect((await session.opened()).sessionId).toBe(await live.sessionId());
  },
});

const beginsAgain = action('caller starts a key again that left no session', {
  // With further faults, the new session could need longer than SETTLING_MIN.
  when: (model) => model.leftNothing() && model.pollFaults === 0,
  play: async (model, live) => {
    model.beginAnew();
    await live.world.sessions.start(live.input);
    model.advance(SETTLING_MIN);
    await live.world.advance(`${SETTLING_MIN}m`);
  },
});

const startsOther = action('caller starts another request with the key', {
  when: (model) => !model.leftNothing(),
  play: async (_model, { world, input }) => {
    const request = { ...input.request, amount: 26 };
    await refusal(world.sessions.start({ ...input, request }), 'SESSION_CONFLICT');
  },
});

const NO_SUCH_SESSION = '00000000-0000-4000-8000-000000000000';

const resolves = (answer: Resolution): Action =>
  action(`caller resolves the create: ${answer}`, {
    when: ({ phase, lost, pollFaults }) => {
      const isNaming = answer === 'lost' || answer === 'unknown';
      // If the poll of the named session fails, the session stays parked.
      if (isNaming && pollFaults > 0) return false;
      return phase === 'parked' && (answer !== 'lost' || lost !== undefined);
    },
    play: async (model, live) => {
      model.resolve(answer);
      const { session } = live;
      if (answer === 'retry') await session.resolveCreate({ retry: true });
      else if (answer === 'abandon') await session.resolveCreate({ abandon: true });
      else
        await session.resolveCreate({
          sessionId: answer === 'lost' ? live.lastCreated() : NO_SUCH_SESSION,
        });
      model.advance(SETTLING_MIN);
      await live.world.advance(`${SETTLING_MIN}m`);
    },
  });

const resolvesNothing = action('caller resolves a create that is not parked', {
  when: (model) => model.phase !== 'parked' && model.hasEnded() === false,
  play: (_model, { session }) => refusal(session.resolveCreate({ retry: true }), 'INVALID_INPUT'),
});

const times = fc.integer({ min: 1, max: 4 });

const faultsArrive = fc.oneof(
  times.map((count) => faults('details 503', 'details', STATUS_503, count)),
  times.map((count) => faults('cancel 503', 'cancel', STATUS_503, count)),
  times.map((count) => faults('authorize 503', 'authorize', STATUS_503, count)),
  fc.constantFrom(
    faults('answer to cancel is lost', 'cancel', { kind: 'reset', phase: 'after' }, 1),
    tokensRevoked,
  ),
);

/** Payor actions that are chosen more often: after most of them, other actions are still possible. */
const frequentActs = fc.constantFrom<PayorAction[]>('arrives', 'validatesBank', 'validatesBank', 'signsPad');

/** The groups of actions. Each group is equally likely. */
export const actions: fc.Arbitrary<Action>[] = [
  frequentActs.map(payorActs),
  fc.constantFrom(...PAYOR_ACTIONS).map(payorActs),
  fc.tuple(fc.constantFrom(...PAYOR_ACTIONS), fc.constantFrom(5, 25, 185)).map((plan) => payorPlans(...plan)),
  fc.constantFrom(20, 40, 60).map(timePasses),
  fc.constantFrom(LONG_MIN, 2_400, 14_400).map(timePasses),
  faultsArrive,
  fc.constantFrom(refreshes, refreshes, cancels, cancelsAndWaits),
  fc.constantFrom(startsAgain, beginsAgain, startsOther, resolvesNothing),
  fc.constantFrom<Resolution[]>('retry', 'lost', 'unknown', 'abandon').map(resolves),
];
