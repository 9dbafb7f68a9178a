import type { Fault } from '../../../../sandbox';
import { endCreate } from '../../../support/lost-create';
import { eft } from '../../../support/requests';
import { ALWAYS, ends, hasTrouble, isParked } from '../acts';
import { COMPLETED, ended, OPENED, stays } from '../ending';
import type { LiveScene, Scenes } from '../scene';

const UNKNOWN: Readonly<Record<string, readonly [tells: string, fault: Fault, trouble: string]>> = {
  reset: [
    'the connection is reset after the create was taken',
    { kind: 'reset', phase: 'after' },
    'SERVICE_INTERRUPTED',
  ],
  'server-error': ['the service answers 502', { kind: 'status', status: 502 }, 'SERVICE_FAILED'],
  unreadable: [
    'the answer is no JSON',
    { kind: 'status', status: 201, body: '<html></html>', phase: 'after' },
    'SERVICE_UNREADABLE',
  ],
  'timed-out': ['no answer comes in time', { kind: 'hang', phase: 'after' }, 'SERVICE_INTERRUPTED'],
};

const world = { service: { callTimeoutMs: 1_000 } };

/** Scenes of create requests whose outcome is unknown or not yet known: the request is sent again, or the session is parked. */
export const lostCreateScenes: Scenes = {
  ...Object.fromEntries(
    Object.entries(UNKNOWN).flatMap(([name, [tells, fault, trouble]]): [string, LiveScene][] => [
      [
        `create-${name}-retried`,
        {
          tells: `${tells}; it is made again`,
          world,
          play: async ({ sandbox, sessions, input }) => {
            sandbox.failNext('create', fault);
            await ends(await sessions.start(input(eft('sandbox-completes'))));
          },
          expected: ended([OPENED, COMPLETED], { anomalies: ['possibleOrphan'] }),
        },
      ],
      [
        `create-${name}-parked`,
        {
          tells: `${tells}; the session waits for a person, who has not come yet`,
          world,
          play: async ({ sandbox, sessions, input }) => {
            sandbox.failNext('create', fault);
            await isParked(await sessions.start(input(eft(), { onUnknownCreate: 'park' })));
          },
          expected: stays('parked', [], {
            trouble,
          }),
        },
      ],
    ]),
  ),
  'create-lost-before-it-was-sent': {
    tells:
      'the Temporal server gives a create up that waits for a token: it is made again, and was not sent before',
    play: async ({ client, sandbox, sessions, input }) => {
      const authorize = sandbox.hold('authorize', 'before');
      const session = await sessions.start(input(eft('sandbox-completes')));
      await authorize.reached;
      await endCreate(client, session.workflowId);
      await hasTrouble(session, 'WORKER_UNAVAILABLE');
      authorize.release();
      await ends(session);
    },
    expected: ended([OPENED, COMPLETED]),
  },
  'create-lost-as-it-was-sent': {
    tells: 'the Temporal server gives a create up that the service has taken: it is made again',
    play: async ({ client, sandbox, sessions, input }) => {
      const create = sandbox.hold('create', 'after');
      const session = await sessions.start(input(eft('sandbox-completes')));
      await create.reached;
      await endCreate(client, session.workflowId);
      await ends(session);
      create.release();
    },
    expected: ended([OPENED, COMPLETED], { anomalies: ['possibleOrphan'] }),
  },
  'create-parked-after-three-orphans': {
    tells: 'four creates are lost; after three possible orphans a person decides, and has it made again',
    play: async ({ sandbox, sessions, input }) => {
      sandbox.failNext('create', { kind: 'reset', phase: 'after' }, 4);
      const session = await sessions.start(input(eft('sandbox-completes')));
      await isParked(session);
      await session.resolveCreate({ retry: true });
      await ends(session);
    },
    expected: ended([OPENED, COMPLETED], {
      anomalies: ['possibleOrphan', 'possibleOrphan', 'possibleOrphan', 'possibleOrphan'],
    }),
  },
  'create-never-succeeds-yet': {
    tells: 'the service limits creates all the time: the session waits to make it again',
    play: async ({ sandbox, sessions, input }) => {
      sandbox.failNext('create', { kind: 'status', status: 429, retryAfter: '60' }, ALWAYS);
      await hasTrouble(await sessions.start(input(eft())), 'SERVICE_RATE_LIMITED');
    },
    expected: stays('creating', [], { trouble: 'SERVICE_RATE_LIMITED' }),
  },
};
