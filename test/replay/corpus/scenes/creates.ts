import type { Fault } from '../../../../sandbox';
import { eft } from '../../../support/requests';
import { ends, hasTrouble } from '../acts';
import { COMPLETED, ended, failedUnheard, NEVER_OPENED, OPENED, stays } from '../ending';
import type { LiveScene, Scenes } from '../scene';
import { DEFAULT_CLIENT } from '../../../../sandbox/default-client';

const TOKEN_REJECTED: Fault = { kind: 'status', status: 401 };

/** Returns a scene whose create request fails `times` times without opening a session, and then succeeds. */
const succeedsAfter = (tells: string, fault: Fault, times = 1): LiveScene => ({
  tells,
  play: async ({ sandbox, sessions, input }) => {
    sandbox.failNext('create', fault, times);
    await ends(await sessions.start(input(eft('sandbox-completes'))));
  },
  expected: ended([OPENED, COMPLETED]),
});

const fails = (tells: string, code: string, scene: Pick<LiveScene, 'world' | 'play'>): LiveScene => ({
  tells,
  ...scene,
  expected: ended([], { failure: code }),
});

/** Scenes of create requests whose outcome is known: created, certainly not created, or rejected. */
export const createScenes: Scenes = {
  'create-refused': {
    tells: 'the service cannot be reached for a while: nothing was sent',
    play: async ({ sandbox, sessions, input }) => {
      const port = Number(new URL(sandbox.url).port);
      await sandbox.close();
      const session = await sessions.start(input(eft('sandbox-completes')));
      await hasTrouble(session, 'SERVICE_UNREACHABLE');
      await sandbox.listen({ port });
      await ends(session);
    },
    expected: ended([OPENED, COMPLETED]),
  },
  'create-rate-limited': succeedsAfter('the service limits creates and asks to wait', {
    kind: 'status',
    status: 429,
    retryAfter: '1',
  }),
  'create-token-rejected': succeedsAfter('the service refuses a fresh token, once', TOKEN_REJECTED, 2),
  'create-token-renewed': succeedsAfter(
    'the service refuses an aged token; the same call repeats with a new one',
    TOKEN_REJECTED,
  ),
  'create-paused': {
    tells: 'the account is at its rate limit: the create waits its turn',
    world: { account: { callsPerSecond: 0.5 }, waitsForTurn: false },
    play: async ({ sessions, input, other }) => {
      const neighbour = await sessions.open(other(eft('sandbox-stays-initiated')));
      const session = await sessions.start(input(eft('sandbox-completes')));
      await hasTrouble(session, 'SERVICE_PAUSED');
      await neighbour.session.cancelAndWait();
      await ends(session);
    },
    expected: ended([OPENED, COMPLETED]),
  },
  'authorize-fails-for-a-while': {
    tells: 'no token is to be had for a while, which the activity repeats by itself',
    play: async ({ sandbox, sessions, input }) => {
      sandbox.failNext('authorize', { kind: 'status', status: 503 }, 2);
      await ends(await sessions.start(input(eft('sandbox-completes'))));
    },
    expected: ended([OPENED, COMPLETED]),
  },
  'create-rejected': fails('an amount out of range: 400', 'SERVICE_REQUEST_REJECTED', {
    play: async ({ sessions, input }) => ends(await sessions.start(input({ ...eft(), amount: 10_000.01 }))),
  }),
  'create-forbidden': fails('a client without the feature for EFT: 403', 'SERVICE_FORBIDDEN', {
    world: { sandbox: { clients: [{ ...DEFAULT_CLIENT, features: [] }] } },
    play: async ({ sessions, input }) => ends(await sessions.start(input(eft()))),
  }),
  'create-invalid': fails(
    'a request from elsewhere that breaks the contract: never sent',
    'INVALID_REQUEST',
    {
      play: ({ client, key, taskQueue, input }) =>
        client.workflow
          .execute('paymentSession', {
            taskQueue,
            workflowId: `payment-session/${key}`,
            args: [input({ ...eft(), amount: -1 })],
          })
          .catch((error: unknown) => error),
    },
  ),
  'wrong-credentials': {
    tells: 'the service refuses the client’s secret: the session waits for a worker with another one',
    world: { account: { clientSecret: 'wrong' } },
    play: async ({ sessions, input }) =>
      hasTrouble(await sessions.start(input(eft())), 'SERVICE_CREDENTIALS_REJECTED'),
    expected: stays('creating', [], { trouble: 'SERVICE_CREDENTIALS_REJECTED' }),
  },
  'unknown-account': {
    tells: 'the worker lacks the account: the session waits for one that has it',
    play: async ({ sessions, input }) =>
      hasTrouble(await sessions.start({ ...input(eft()), account: 'nobody' }), 'UNKNOWN_ACCOUNT'),
    expected: stays('creating', [], { trouble: 'UNKNOWN_ACCOUNT' }),
  },
  'credentials-mended': {
    tells: 'the service refuses the client’s secret for a while: the session waits',
    play: async ({ sandbox, sessions, input }) => {
      sandbox.failNext('authorize', TOKEN_REJECTED, 2);
      await ends(await sessions.start(input(eft('sandbox-completes'))));
    },
    expected: ended([OPENED, COMPLETED]),
  },
  'unknown-account-cancelled': {
    tells: 'no worker has the account: those who ask are told, and one cancels',
    play: async ({ sessions, input }) => {
      const session = await sessions.start({ ...input(eft()), account: 'nobody' });
      for (let caller = 0; caller < 2; caller += 1) await session.opened().catch((error: unknown) => error);
      await session.cancelAndWait();
    },
    expected: ended([NEVER_OPENED], { cancel: 'caller: neverCreated' }),
  },
  'malformed-input': {
    tells: 'a start from elsewhere whose input has the wrong shape',
    play: ({ client, key, taskQueue }) =>
      client.workflow
        .execute('paymentSession', {
          taskQueue,
          workflowId: `payment-session/${key}`,
          args: [{ key, request: { type: 'EFT' } }],
        })
        .catch((error: unknown) => error),
    expected: failedUnheard('INVALID_INPUT'),
  },
  'missing-input': {
    tells: 'a start from elsewhere without any input',
    play: ({ client, key, taskQueue }) =>
      client.workflow
        .execute('paymentSession', { taskQueue, workflowId: `payment-session/${key}` })
        .catch((error: unknown) => error),
    expected: failedUnheard('INVALID_INPUT'),
  },
};
