import { describe, expect, test } from '@jest/globals';
import type { Dispatcher } from 'undici';
import { CallStoppedError } from '../../../src/service/call-scope';
import type { RawExchange } from '../../../src/service/http/exchange';
import { ExchangeHandler } from '../../../src/service/http/exchange-handler';

/**
 * Returns a handler of one call, and the controller that undici passes to the handler. Also returns the list of exchanges that
 * the handler reports, and the list of reasons for which it aborts the call.
 */
function handling(maxBytes = 10) {
  const reported: RawExchange[] = [];
  const aborted: Error[] = [];
  const controller = {
    abort: (reason: Error) => aborted.push(reason),
  } as Partial<Dispatcher.DispatchController> as Dispatcher.DispatchController;
  const handler = new ExchangeHandler(maxBytes, (exchange) => reported.push(exchange));
  return { handler, controller, reported, aborted };
}

const STOPPED = new CallStoppedError('CALL_TIMEOUT');

describe('a request to the payment service', () => {
  test('that is stopped before it has a connection is not sent', () => {
    const { handler, controller, reported, aborted } = handling();
    handler.stop(STOPPED);
    handler.onRequestStart(controller);
    expect(aborted).toEqual([STOPPED]);
    expect(reported).toEqual([{ kind: 'unanswered', sent: false, reason: 'CALL_TIMEOUT' }]);
  });

  test('that is stopped after its start counts as sent', () => {
    const { handler, controller, reported, aborted } = handling();
    handler.onRequestStart(controller);
    handler.stop(STOPPED);
    expect(aborted).toEqual([STOPPED]);
    expect(reported).toEqual([{ kind: 'unanswered', sent: true, reason: 'CALL_TIMEOUT' }]);
  });

  test('is reported only once, even if undici reports an error afterwards', () => {
    const { handler, controller, reported } = handling();
    handler.onRequestStart(controller);
    handler.onResponseStart(controller, 200, {});
    handler.onResponseData(controller, Buffer.from('{}'));
    handler.onResponseEnd();
    handler.onResponseError(controller, new Error('late'));
    expect(reported).toMatchObject([{ kind: 'answered', status: 200, body: { state: 'complete' } }]);
  });
});

describe('an answer of the payment service', () => {
  test('has not begun after an interim answer', () => {
    const { handler, controller, reported } = handling();
    handler.onRequestStart(controller);
    handler.onResponseStart(controller, 103, {});
    handler.onResponseError(controller, new Error('gone'));
    expect(reported).toMatchObject([{ kind: 'unanswered', sent: true }]);
  });

  test('is reported with its status if the call is stopped while the body is read', () => {
    const { handler, controller, reported } = handling();
    handler.onRequestStart(controller);
    handler.onResponseStart(controller, 200, {});
    handler.stop(STOPPED);
    expect(reported).toMatchObject([{ status: 200, body: { state: 'cut', reason: 'CALL_TIMEOUT' } }]);
  });

  test('is not read further once it is too large', () => {
    const { handler, controller, reported, aborted } = handling(3);
    handler.onRequestStart(controller);
    handler.onResponseStart(controller, 200, {});
    for (const part of ['ab', 'cd']) handler.onResponseData(controller, Buffer.from(part));
    expect(aborted).toHaveLength(1);
    expect(reported).toMatchObject([{ status: 200, body: { state: 'tooLarge' } }]);
  });
});
