import { describe, expect, test } from '@jest/globals';
import type { Dispatcher } from 'undici';
import { CallStoppedError } from '../../../src/service/call-scope';
import type { RawExchange } from '../../../src/service/http/exchange';
import { ExchangeHandler } from '../../../src/service/http/exchange-handler';

/** Returns a handler, the controller that undici passes to it, the exchanges that it reports, and the reasons of its aborts. */
function handling(maxBytes = 10) {
  const told: RawExchange[] = [];
  const aborted: Error[] = [];
  const controller = {
    abort: (reason: Error) => aborted.push(reason),
  } as Partial<Dispatcher.DispatchController> as Dispatcher.DispatchController;
  const handler = new ExchangeHandler(maxBytes, (exchange) => told.push(exchange));
  return { handler, controller, told, aborted };
}

const STOPPED = new CallStoppedError('CALL_TIMEOUT');

describe('a request to the payment service', () => {
  test('that is stopped before it has a connection is never sent', () => {
    const { handler, controller, told, aborted } = handling();
    handler.stop(STOPPED);
    handler.onRequestStart(controller);
    expect(aborted).toEqual([STOPPED]);
    expect(told).toEqual([{ kind: 'unanswered', sent: false, reason: 'CALL_TIMEOUT' }]);
  });

  test('that is stopped after its start counts as sent', () => {
    const { handler, controller, told, aborted } = handling();
    handler.onRequestStart(controller);
    handler.stop(STOPPED);
    expect(aborted).toEqual([STOPPED]);
    expect(told).toEqual([{ kind: 'unanswered', sent: true, reason: 'CALL_TIMEOUT' }]);
  });

  test('is reported only once, whatever undici reports afterwards', () => {
    const { handler, controller, told } = handling();
    handler.onRequestStart(controller);
    handler.onResponseStart(controller, 200, {});
    handler.onResponseData(controller, Buffer.from('{}'));
    handler.onResponseEnd();
    handler.onResponseError(controller, new Error('late'));
    expect(told).toMatchObject([{ kind: 'answered', status: 200, body: { state: 'complete' } }]);
  });
});

describe('an answer of the payment service', () => {
  test('is not yet there after an interim answer', () => {
    const { handler, controller, told } = handling();
    handler.onRequestStart(controller);
    handler.onResponseStart(controller, 103, {});
    handler.onResponseError(controller, new Error('gone'));
    expect(told).toMatchObject([{ kind: 'unanswered', sent: true }]);
  });

  test('that is stopped while its body is read keeps its status', () => {
    const { handler, controller, told } = handling();
    handler.onRequestStart(controller);
    handler.onResponseStart(controller, 200, {});
    handler.stop(STOPPED);
    expect(told).toMatchObject([{ status: 200, body: { state: 'cut', reason: 'CALL_TIMEOUT' } }]);
  });

  test('that is too large is read no further', () => {
    const { handler, controller, told, aborted } = handling(3);
    handler.onRequestStart(controller);
    handler.onResponseStart(controller, 200, {});
    for (const part of ['ab', 'cd']) handler.onResponseData(controller, Buffer.from(part));
    expect(aborted).toHaveLength(1);
    expect(told).toMatchObject([{ status: 200, body: { state: 'tooLarge' } }]);
  });
});
