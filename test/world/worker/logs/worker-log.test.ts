import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, test } from '@jest/globals';
import { PaysessionError } from '../../../../src';
import type { LogFormat, LogLevel } from '../../../../src/settings';
import { workerLog, type WorkerLog } from '../../../../worker/observing/worker-log';

const PAYLOAD = 'Avery Tremblay';
const ESCAPE = '\u001b';

/** Runs `act` with the logger of a new log, and returns the log’s output. */
function written(
  act: (logger: WorkerLog['logger']) => unknown,
  { format = 'json', level = 'info' }: { format?: LogFormat; level?: LogLevel } = {},
): string {
  let text = '';
  const log = workerLog({ level, format, write: (line) => (text += line) });
  act(log.logger);
  log.close();
  return text;
}

const json = (act: (logger: WorkerLog['logger']) => unknown): unknown => JSON.parse(written(act));

const SESSION = { workflowId: 'payment-session/order-1', workflowRunId: 'run-1', account: 'default' };

describe('a line of the worker’s log', () => {
  test('has the session’s key, account and run, and the active trace', () => {
    const trace = { trace_id: '0af7651916cd43dd8448eb211c80319c', span_id: 'b7ad6b7169203331' };
    expect(
      json((logger) => logger.warn('a thing', { ...SESSION, ...trace, sdkComponent: 'activity' })),
    ).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      level: 'warn',
      message: 'a thing',
      sessionKey: 'order-1',
      runId: 'run-1',
      account: 'default',
      component: 'activity',
      ...trace,
    });
  });

  test('has a webhook’s endpoint and answer, and a ledger’s environment', () => {
    const fields = { endpoint: 'shop', outcome: 'HTTP 503', environment: 'shop', others: ['a (1)', 'b (2)'] };
    expect(json((logger) => logger.warn('a thing', fields))).toMatchObject({
      ...fields,
      others: 'a (1),b (2)',
    });
  });

  test('is plain text without colours in the format “text”', () => {
    const text = written((logger) => logger.warn('a thing', SESSION), { format: 'text' });
    expect(text).toMatch(/^\S+Z WARN {2}a thing sessionKey=order-1 runId=run-1 account=default\n$/);
  });

  test.each<LogFormat>(['json', 'text'])(
    'is a single line, also if its texts contain line breaks (%s)',
    (format) => {
      const text = written(
        (logger) => logger.warn(`a\nb${ESCAPE}[31m`, { account: `x\r\n"y" ${ESCAPE}]0;title` }),
        { format },
      );
      expect(text.slice(0, -1)).not.toMatch(/[\p{Cc}\u2028]/u);
    },
  );

  test('is left out below the level that is set', () => {
    const act = (logger: WorkerLog['logger']) => {
      logger.info('started', {});
      logger.warn('a thing', {});
    };
    expect(written(act, { level: 'warn' })).not.toContain('started');
    expect(written(act, { level: 'info' })).toContain('started');
  });
});

describe('the worker’s log contains no payload', () => {
  test('from unknown fields', () => {
    const text = written((logger) =>
      logger.warn('a thing', {
        options: { payor: PAYLOAD },
        completion: PAYLOAD,
        failure: PAYLOAD,
        args: [PAYLOAD],
      }),
    );
    expect(text).not.toContain(PAYLOAD);
  });

  test('from an error of other code: only the error’s name and place are logged', () => {
    const error = new TypeError(`cannot read ${PAYLOAD}`);
    const line = json((logger) => logger.error('Activity failed', { ...SESSION, error }));
    expect(line).toMatchObject({
      message: 'Activity failed',
      error: 'TypeError',
      stack: expect.stringMatching(/^at /),
    });
    expect(JSON.stringify(line)).not.toContain(PAYLOAD);
  });

  test('from an error of the SDK’s native part, whose message quotes the request to the server', () => {
    const error = `Status { code: Internal, message: "${PAYLOAD}", source: None }`;
    const line = json((logger) => logger.warn('Long poll failed', { error, sdkComponent: 'core' }));
    expect(line).toMatchObject({ message: 'Long poll failed', error: 'gRPC Internal' });
    expect(JSON.stringify(line)).not.toContain(PAYLOAD);
  });
});

test('the worker’s log has the code and message of a paysession error, also if that error is the cause of another error', () => {
  const own = new PaysessionError('UNKNOWN_ACCOUNT', 'The worker has no credentials for the account "x".');
  const failure = ApplicationFailure.create({ type: own.code, message: own.message, details: [PAYLOAD] });
  for (const error of [own, failure, new Error(PAYLOAD, { cause: failure })]) {
    const line = json((logger) => logger.warn('Activity failed', { error }));
    expect(line).toMatchObject({ code: 'UNKNOWN_ACCOUNT', message: own.message });
    expect(JSON.stringify(line)).not.toContain(PAYLOAD);
  }
});

test('while the Temporal server is lost, the worker’s log counts failed calls as repetitions of one line', () => {
  const error = 'Status { code: Unavailable, message: "tcp connect error" }';
  const text = written((logger) => {
    for (const call of ['poll_workflow_task_queue', 'poll_activity_task_queue', 'describe_task_queue'])
      logger.warn(`gRPC call ${call} retried 6 times`, { error, sdkComponent: 'core' });
  });
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.map(({ code, repeated }) => [code, repeated])).toEqual([
    ['TEMPORAL_UNAVAILABLE', undefined],
    ['TEMPORAL_UNAVAILABLE', 2],
  ]);
});

test('the worker’s log has no line for a call that a pause refuses', () => {
  const error = ApplicationFailure.create({ type: 'SERVICE_PAUSED', message: 'Calls are paused.' });
  expect(written((logger) => logger.warn('Activity failed', { error }))).toBe('');
});

test('the worker’s log leaves out the SDK’s line about a failed session, and keeps the SDK’s line about another workflow', () => {
  const failed = (workflowType: string) =>
    written((logger) => logger.warn('Workflow failed', { workflowType, error: new Error('failed') }));
  expect(failed('paymentSession')).toBe('');
  expect(failed('order')).toContain('Workflow failed');
});

test('at the level debug, the worker’s log also has repeated lines', () => {
  const act = (logger: WorkerLog['logger']) => {
    for (let time = 0; time < 3; time += 1) logger.warn('again', {});
  };
  expect(written(act, { level: 'debug' }).trim().split('\n')).toHaveLength(3);
});
