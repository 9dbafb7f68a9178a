import { expect, test } from '@jest/globals';
import type { temporal } from '@temporalio/proto';
import { countActions } from '../../../bench/figures/actions';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

const started: HistoryEvent = { workflowExecutionStartedEventAttributes: {} };
const timer: HistoryEvent = { timerStartedEventAttributes: { timerId: '1' } };
const attempts = (attempt: number): HistoryEvent => ({ activityTaskStartedEventAttributes: { attempt } });
/** Returns a local activity's marker. `task` is the id of the event that completed its workflow task. */
const marker = (task: string): HistoryEvent => ({
  markerRecordedEventAttributes: { workflowTaskCompletedEventId: task as never },
});
const upsert = (...names: readonly string[]): HistoryEvent => ({
  upsertWorkflowSearchAttributesEventAttributes: {
    searchAttributes: { indexedFields: Object.fromEntries(names.map((name) => [name, {}])) },
  },
});

test('a start, a timer, a signal and an update are one billable action each', () => {
  const signal = { workflowExecutionSignaledEventAttributes: {} };
  const update = { workflowExecutionUpdateAcceptedEventAttributes: {} };
  expect(countActions([started, timer, signal, update])).toBe(4);
});

test('events of workflow tasks, and events that end something, are not billable actions', () => {
  const events: readonly HistoryEvent[] = [
    { workflowTaskScheduledEventAttributes: {} },
    { workflowTaskStartedEventAttributes: {} },
    { workflowTaskCompletedEventAttributes: {} },
    { timerFiredEventAttributes: {} },
    { timerCanceledEventAttributes: {} },
    { activityTaskScheduledEventAttributes: {} },
    { activityTaskCompletedEventAttributes: {} },
    { workflowExecutionUpdateCompletedEventAttributes: {} },
    { workflowExecutionCompletedEventAttributes: {} },
  ];
  expect(countActions(events)).toBe(0);
});

test('each attempt of an activity is one billable action, although only the last attempt is in the history', () => {
  expect(countActions([attempts(1), attempts(3)])).toBe(4);
});

test('the local activities of one workflow task are one billable action together', () => {
  expect(countActions([marker('4'), marker('4'), marker('9')])).toBe(2);
});

test('an upsert of search attributes is one billable action, unless it sets only the code version', () => {
  expect(
    countActions([upsert('PaymentSessionStatus', 'PaymentSessionCode'), upsert('TemporalChangeVersion')]),
  ).toBe(1);
});

test('the start of a child workflow is two billable actions', () => {
  expect(countActions([{ startChildWorkflowExecutionInitiatedEventAttributes: {} }])).toBe(2);
});
