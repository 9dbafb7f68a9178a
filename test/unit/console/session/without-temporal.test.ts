import { expect, test } from '@jest/globals';
import { todoSection } from '../../../../console/session/standing-section';
import type { SessionView } from '../../../../console/session/view';
import { plain, VIEWER } from '../../../support/console/session-page';

const todo = (view: Partial<SessionView>) =>
  plain(todoSection({ key: 'order-1', workflowId: 'payment-session/order-1', ...view }, VIEWER).text);

test('while the Temporal server does not answer, a page does not say that there is nothing to do', () => {
  expect(todo({ silence: 'TEMPORAL_UNAVAILABLE' })).toContain('Not known at the moment.');
  expect(todo({ silence: 'TEMPORAL_UNAVAILABLE' })).not.toContain('Nothing to do');
});

test('if Temporal’s index has the session, a page says what to do without its worker', () => {
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
