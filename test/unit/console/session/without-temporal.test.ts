import { expect, test } from '@jest/globals';
import { PaysessionError } from '../../../../src/errors';
import { confirmPage } from '../../../../console/session/acts/confirm-form';
import { todoSection } from '../../../../console/session/standing-section';
import { sessionFragment } from '../../../../console/session/session-fragment';
import { readView, type SessionView } from '../../../../console/session/view';
import { OPERATOR, PAGE_OPTIONS, plain, VIEWER, viewOf } from '../../../support/console/session-page';
import { eft } from '../../../support/requests';

const todo = (view: Partial<SessionView>) =>
  plain(todoSection({ key: 'order-1', workflowId: 'payment-session/order-1', ...view }, VIEWER).text);

test('while the Temporal server does not answer, a page does not say that there is nothing to do', () => {
  expect(todo({ silence: 'TEMPORAL_UNAVAILABLE' })).toContain('Not known at the moment.');
  expect(todo({ silence: 'TEMPORAL_UNAVAILABLE' })).not.toContain('Nothing to do');
});

test.each([
  [
    'EN',
    'The session’s state is not known',
    'If it is open, the payor will no longer be able to pay',
    'has ended:',
  ],
  [
    'FR',
    'L’état de la session est inconnu',
    'Si elle est ouverte, le payeur ne pourra plus payer',
    'est finie :',
  ],
] as const)(
  'in %s, while the Temporal server does not answer, the form for a cancel does not say that the session has ended',
  (language, unknown, open, over) => {
    const view = {
      key: 'order-1',
      workflowId: 'payment-session/order-1',
      silence: 'TEMPORAL_UNAVAILABLE',
    } as const;
    const text = plain(confirmPage({ act: 'cancel', view }, { ...OPERATOR, language }).text);
    expect(text).toContain(unknown);
    expect(text).toContain(open);
    const ended = viewOf(eft(), { phase: 'ended', status: 'Expired' });
    expect(text).not.toContain(over);
    expect(plain(confirmPage({ act: 'cancel', view: ended }, { ...OPERATOR, language }).text)).toContain(
      over,
    );
  },
);

test.each([
  ['EN', 'The Temporal server is overloaded', 'Not known at the moment.'],
  ['FR', 'Le serveur Temporal est surchargé', 'Inconnu en ce moment.'],
] as const)('in %s, a page says that the Temporal server is overloaded', (language, heading, todoWords) => {
  const view: SessionView = { ...viewOf(eft()), silence: 'TEMPORAL_BUSY' };
  const text = plain(sessionFragment(view, { ...VIEWER, language }, PAGE_OPTIONS).text);
  expect(text).toContain(heading);
  expect(text).toContain(todoWords);
});

test('if the Temporal server is overloaded, a page does not say that the request cannot be decrypted', async () => {
  const busy = () => Promise.reject(Object.assign(new Error('busy'), { code: 8, metadata: {}, details: '' }));
  const view = await readView(
    {
      client: {
        options: { namespace: 'default', loadedDataConverter: {} },
        withDeadline: (_at: number, call: () => unknown) => call(),
        workflowService: {
          describeWorkflowExecution: () =>
            Promise.resolve({ workflowExecutionInfo: {}, pendingActivities: [] }),
          getWorkflowExecutionHistory: busy,
        },
      },
      sessions: { get: () => ({ state: busy }) },
    } as unknown as Parameters<typeof readView>[0],
    'order-1',
  );
  expect([view.silence, view.stored]).toEqual(['TEMPORAL_BUSY', undefined]);
});

test('without a worker, a page says "Nothing to do" from what the Temporal server’s index knows', () => {
  const summary: SessionView['summary'] = {
    key: 'order-1',
    runId: 'run-1',
    running: true,
    paid: false,
    phase: 'open',
    problems: [],
    startedAt: new Date(),
  };
  expect(todo({ silence: 'WORKER_UNAVAILABLE', summary })).toContain('Nothing to do.');
});

test.each([
  ['is shown for its run', 'run-1', { known: viewOf(eft()).known }],
  ['is not shown for another run of the key', 'run-2', { known: undefined }],
])('without a worker, the last known state %s', async (_what, runId, shown) => {
  const before = viewOf(eft());
  const info = { execution: { workflowId: before.workflowId, runId } };
  const lost = () => Promise.reject(new PaysessionError('WORKER_UNAVAILABLE', 'lost'));
  const options = {
    client: {
      options: { namespace: 'default', loadedDataConverter: {} },
      withDeadline: (_at: number, call: () => unknown) => call(),
      workflowService: {
        describeWorkflowExecution: () =>
          Promise.resolve({ workflowExecutionInfo: info, pendingActivities: [] }),
        getWorkflowExecutionHistory: lost,
      },
    },
    sessions: { get: () => ({ state: lost }) },
  } as unknown as Parameters<typeof readView>[0];
  const { known, silence } = await readView(options, 'order-1', before);
  expect({ known, silence }).toEqual({ ...shown, silence: 'WORKER_UNAVAILABLE' });
});
